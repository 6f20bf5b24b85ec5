package dev.weir.adaptive.signal;

/** What knows where it reads. */
interface Sourced {
    /** The source of the last reading; {@link SignalSource#NONE} before the first. May be called by any thread. */
    SignalSource source();
}
