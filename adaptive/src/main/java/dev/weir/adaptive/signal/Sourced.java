package dev.weir.adaptive.signal;

/** A signal that knows where its readings come from. */
interface Sourced {
    /** The source of the last reading; {@link SignalSource#NONE} before the first. May be called by any thread. */
    SignalSource source();
}
