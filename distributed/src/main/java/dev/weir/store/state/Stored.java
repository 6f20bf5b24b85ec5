package dev.weir.store.state;

import org.jspecify.annotations.Nullable;

/**
 * A value as a store tells it.
 *
 * @param state the value that is there, also after a replacement was made; null = there is none. Not copied: it must not be changed
 * @param version another one after each replacement, and never one that this name had before, also if its value was removed
 *     meanwhile; 0 = there is no value
 * @param atMicros the store's clock at this answer, in microseconds since 1970: not before the last replacement of this value
 * @param isReplaced whether the replacement was made; false after a {@linkplain StateStore#read reading}
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Stored(byte @Nullable [] state, long version, long atMicros, boolean isReplaced) {
    /**
     * Checks the version.
     *
     * @throws IllegalArgumentException if the version is negative, or is 0 but there is a value, or the other way about
     */
    public Stored {
        if (version < 0 || (version == 0) != (state == null)) {
            throw new IllegalArgumentException("version must be 0 without a state and >= 1 with one, was " + version
                    + " with " + (state == null ? "none" : state.length + " bytes"));
        }
    }

    /** A value that was read, or is there because a replacement was not made. */
    public static Stored present(byte[] state, long version, long atMicros) {
        return new Stored(state, version, atMicros, false);
    }

    /** There is no value. */
    public static Stored absent(long atMicros) {
        return new Stored(null, 0, atMicros, false);
    }

    /** This replacement was made. */
    public static Stored replaced(Replacement made, long version, long atMicros) {
        return new Stored(made.state(), version, atMicros, true);
    }

    /** The version and the clock, and how long the state is. */
    @Override
    public String toString() {
        return "Stored[" + (state == null ? "absent" : state.length + " bytes") + ", version " + version + ", at "
                + atMicros + (isReplaced ? ", replaced]" : "]");
    }
}
