package dev.weir.store.state;

import java.util.Objects;

/**
 * A value that a store writes only if the present one has this version, and the store's clock has reached an instant.
 *
 * @param name see {@link StateStore}
 * @param version of the value that it replaces; 0 = there is none, or none any more
 * @param state the new value. Not copied: it must not be changed
 * @param atMicros the least reading of the store's clock, in microseconds since 1970, at which it is made; 0 = at any
 * @param ttlMicros for how long the store keeps the value at least, from the replacement on; at most {@link #FOREVER}
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Replacement(String name, long version, byte[] state, long atMicros, long ttlMicros) {
    /** A time after which no value needs to be removed: 142 years. Its sum with an instant has 53 bits. */
    public static final long FOREVER = 1L << 52;

    /**
     * Checks the parameters.
     *
     * @throws IllegalArgumentException if the name is empty or too long, the state is too large, the version is negative, or the time is
     *     not within 1 and {@link #FOREVER}
     */
    public Replacement {
        Objects.requireNonNull(state, "state");
        if (name.isEmpty() || name.length() > StateStore.LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "name must have 1 to " + StateStore.LONGEST_NAME + " chars, had " + name.length());
        }
        if (state.length > StateStore.LARGEST_STATE) {
            throw new IllegalArgumentException(
                    "state must have <= " + StateStore.LARGEST_STATE + " bytes, had " + state.length);
        }
        if (version < 0) {
            throw new IllegalArgumentException("version must be >= 0, was " + version);
        }
        if (ttlMicros < 1 || ttlMicros > FOREVER) {
            throw new IllegalArgumentException("ttlMicros must be >= 1 and <= " + FOREVER + ", was " + ttlMicros);
        }
    }

    /** The name and the version, and how long the state is. */
    @Override
    public String toString() {
        return "Replacement[" + name + ", version " + version + ", " + state.length + " bytes, at " + atMicros + "]";
    }
}
