package dev.weir.config.factory;

import dev.weir.adaptive.Signal;

/** Gives a signal a name in documents. */
public interface SignalFactory extends Factory<Signal> {}
