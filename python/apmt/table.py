"""Converts rows to tables of pandas, which is optional."""


def frame(rows):
    """A pandas DataFrame of rows. Raises an ImportError that says what to do if pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frame() needs pandas (python3-pandas); the rows themselves are plain dictionaries") from error
    return pandas.DataFrame(rows)
