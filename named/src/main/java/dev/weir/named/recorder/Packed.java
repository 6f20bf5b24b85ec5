package dev.weir.named.recorder;

import java.util.Arrays;

/** A sequence of whole numbers in few bytes: seven bits in each, the lowest first. Not thread-safe. */
final class Packed {
    private byte[] bytes = new byte[256];
    private int size;

    /** Adds a number; one that is less than 0 takes ten bytes. */
    Packed put(long number) {
        if (size + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    /** The bytes that were put since the last call. */
    byte[] take() {
        byte[] taken = Arrays.copyOf(bytes, size);
        size = 0;
        return taken;
    }

    static final class Reader {
        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasNext() {
            return at < bytes.length;
        }

        long next() {
            long number = 0;
            for (int shift = 0; ; shift += 7) {
                byte next = bytes[at++];
                number |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return number;
                }
            }
        }
    }
}
