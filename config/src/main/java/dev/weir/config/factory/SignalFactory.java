package dev.weir.config.factory;

import dev.weir.adaptive.Signal;

/** A factory of a signal, with its name in documents. */
public interface SignalFactory extends Factory<Signal> {}
