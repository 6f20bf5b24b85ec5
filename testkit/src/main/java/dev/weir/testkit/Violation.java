package dev.weir.testkit;

/** The error that a limiter did what its composition does not allow. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what);
    }
}
