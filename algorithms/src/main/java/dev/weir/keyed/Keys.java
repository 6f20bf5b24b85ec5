package dev.weir.keyed;

import dev.weir.Request;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The form in which a table stores the key of a request, and its hash under a secret of the table. */
final class Keys {
    /*
     * A key of more than MAX_CHARS chars is stored as a 128-bit digest, so that no client can fill the memory with long
     * keys. The digest is of a secret prefix, the lengths and the chars. The prefix prevents that a client prepares two keys
     * that share a quota; the lengths make the digests of different lists of strings different.
     */
    static final int MAX_CHARS = 128;

    private static final long ODD = 0x9E3779B97F4A7C15L;

    /* Empty = the whole key. */
    private final List<String> by;
    private final byte[] secret = new byte[32];
    private final long seed;

    record Digest(long high, long low) implements Comparable<Digest> {
        @Override
        public int compareTo(Digest other) {
            int byHigh = Long.compare(high, other.high);
            return byHigh != 0 ? byHigh : Long.compare(low, other.low);
        }
    }

    Keys(List<String> by) {
        this.by = by;
        SecureRandom random = new SecureRandom();
        random.nextBytes(secret);
        seed = random.nextLong();
    }

    boolean isBy(List<String> names) {
        return by.equals(names);
    }

    /** The key of a request as it is stored; null if there is none: null itself, an empty string, or a name without a value. */
    @Nullable
    Object stored(Request request) {
        Object key = request.source() instanceof Dimensions named ? named : request.key();
        if (by.isEmpty()) {
            return whole(key);
        }
        return key instanceof Dimensions named ? values(named) : null;
    }

    private @Nullable Object values(Dimensions named) {
        if (by.size() == 1) {
            return whole(named.value(by.get(0)));
        }
        String[] values = new String[by.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = named.value(by.get(i));
            if (values[i].isEmpty()) {
                return null;
            }
        }
        return whole(KeyValues.of(values));
    }

    private @Nullable Object whole(@Nullable Object key) {
        if (key instanceof String string) {
            int length = string.length();
            return length == 0 ? null : length <= MAX_CHARS ? string : digest(List.of(string));
        }
        if (key instanceof KeyValues all) {
            return all.length() <= MAX_CHARS ? all : digest(all.values());
        }
        if (key instanceof Dimensions named) {
            int length = named.length();
            return length == 0 ? null : length <= MAX_CHARS ? named : digest(named.strings());
        }
        return key;
    }

    private Digest digest(List<String> strings) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(secret);
            for (String string : strings) {
                sha.update(bytes(string));
            }
            ByteBuffer hash = ByteBuffer.wrap(sha.digest());
            return new Digest(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 must be available", e);
        }
    }

    /* The length and the chars as they are: an encoder would map different unpaired surrogates to the same bytes. */
    private static byte[] bytes(String string) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * string.length());
        bytes.putInt(string.length()).asCharBuffer().put(string);
        return bytes.array();
    }

    /** A hash that clients cannot predict; for a key of a foreign class, as good as its hash code. */
    long hash(Object key) {
        long hash = seed;
        if (key instanceof String string) {
            hash = mixed(hash, string);
        } else if (key instanceof KeyValues all) {
            for (String value : all.values()) {
                hash = mixed(hash, value);
            }
        } else if (key instanceof Dimensions named) {
            hash = named.mixed(hash);
        } else if (key instanceof Digest digest) {
            hash = mixed(mixed(hash, digest.high), digest.low);
        } else {
            hash = mixed(hash, key.hashCode());
        }
        hash = (hash ^ (hash >>> 31)) * ODD;
        return hash ^ (hash >>> 29);
    }

    static long mixed(long hash, String string) {
        long mixed = mixed(hash, string.length());
        for (int i = 0; i < string.length(); i++) {
            mixed = mixed(mixed, string.charAt(i));
        }
        return mixed;
    }

    private static long mixed(long hash, long word) {
        long mixed = (hash ^ word) * ODD;
        return mixed ^ (mixed >>> 32);
    }
}
