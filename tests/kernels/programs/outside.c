double outside(double x) { return 2 * x; }
