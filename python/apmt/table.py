"""Rows as a table of pandas, which is optional."""


def frame(rows):
    """A pandas DataFrame of rows. Without pandas, the ImportError says what to do."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frame() needs pandas (python3-pandas); the rows themselves are plain dictionaries") from error
    return pandas.DataFrame(rows)
