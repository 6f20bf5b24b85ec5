package dev.weir.adaptive;

import dev.weir.Ticker;

/** The bounds in force: the configured ones, unless an override that has not expired says otherwise. */
final class Overrides {
    private final Ticker ticker;
    private volatile Bounds base;

    Overrides(Bounds base, Ticker ticker) {
        this.base = base;
        this.ticker = ticker;
    }

    void base(Bounds other) {
        base = other;
    }

    Bounds inForce() {
        return base;
    }

    long now() {
        return ticker.read();
    }
}
