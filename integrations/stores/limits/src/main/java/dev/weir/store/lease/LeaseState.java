package dev.weir.store.lease;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The state of a semaphore in a store: {@code 'L'}, the version, the counts, the numbers, the leases of each holder, and the holders that
 * wait. Numbers are big-endian.
 *
 * @param token the last one
 * @param micros the time of the last change, which never goes back
 * @param ahead by how much that time is ahead of the store's clock, which may go back
 * @param closed until then only renewals are accepted
 * @param leases of each holder, with the microseconds at which they end; no holder without a lease
 * @param waiting in order of arrival
 */
record LeaseState(
        long token,
        long micros,
        long ahead,
        long closed,
        Map<String, Map<HeldLease, Long>> leases,
        List<Waiting> waiting) {
    /**
     * A holder that waits for permits.
     *
     * @param till the microsecond at which it is forgotten, unless it asks again
     * @param isTold whether there is room for it, which is kept until then
     */
    record Waiting(String holder, long permits, long till, boolean isTold) {}

    /** The most leases: with the longest names of holders, each another one, they fit into a state. */
    static final int MOST_LEASES = 16_384;

    /** The largest number but that of permits: that of a script of Redis. */
    static final long MOST = (1L << 53) - 1;

    /** The most permits of a lease: those of all leases have a sum. */
    static final long MOST_PERMITS = 1L << 48;

    static final int LONGEST_HOLDER = 32;

    private static final Pattern HOLDER = Pattern.compile("[0-9A-Za-z]{1," + LONGEST_HOLDER + "}");

    private static final byte MAGIC = 'L';
    private static final byte VERSION = 1;
    private static final int HEAD = 2 + Short.BYTES + 1 + 4 * Long.BYTES;
    private static final int LEASE = 3 * Long.BYTES;
    private static final int PLACE = 2 * Long.BYTES + 1;
    private static final int TOLD = 1;

    /** Of a semaphore that nobody has used. */
    static LeaseState empty(long micros) {
        return new LeaseState(0, micros, 0, 0, new LinkedHashMap<>(), new ArrayList<>());
    }

    static boolean isHolder(String holder) {
        return HOLDER.matcher(holder).matches();
    }

    byte[] bytes() {
        int size = HEAD;
        for (Map.Entry<String, Map<HeldLease, Long>> holder : leases.entrySet()) {
            size += 1
                    + holder.getKey().length()
                    + Short.BYTES
                    + LEASE * holder.getValue().size();
        }
        for (Waiting each : waiting) {
            size += 1 + each.holder().length() + PLACE;
        }
        ByteBuffer out = ByteBuffer.allocate(size)
                .put(MAGIC)
                .put(VERSION)
                .putShort((short) leases.size())
                .put((byte) waiting.size())
                .putLong(token)
                .putLong(micros)
                .putLong(ahead)
                .putLong(closed);
        leases.forEach((holder, ends) -> {
            put(out, holder).putShort((short) ends.size());
            ends.forEach((lease, end) ->
                    out.putLong(lease.token()).putLong(lease.permits()).putLong(end));
        });
        for (Waiting each : waiting) {
            put(out, each.holder()).putLong(each.permits()).putLong(each.till()).put((byte) (each.isTold() ? TOLD : 0));
        }
        return out.array();
    }

    private static ByteBuffer put(ByteBuffer out, String holder) {
        return out.put((byte) holder.length()).put(holder.getBytes(US_ASCII));
    }

    /** Null if the bytes are no state. */
    static @Nullable LeaseState of(byte[] bytes) {
        if (bytes.length < HEAD || bytes[0] != MAGIC || bytes[1] != VERSION) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, 2, bytes.length - 2);
        try {
            LeaseState read = read(in);
            return in.hasRemaining() ? null : read;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return null;
        }
    }

    private static LeaseState read(ByteBuffer in) {
        int holders = Short.toUnsignedInt(in.getShort());
        int places = number(in.get(), 0, Leases.MOST_WAITING);
        long token = number(in.getLong(), 0, MOST);
        long micros = number(in.getLong(), 0, MOST);
        long ahead = number(in.getLong(), 0, MOST);
        long closed = number(in.getLong(), 0, MOST);
        return new LeaseState(token, micros, ahead, closed, leases(in, holders, token), waiting(in, places));
    }

    private static Map<String, Map<HeldLease, Long>> leases(ByteBuffer in, int holders, long lastToken) {
        Map<String, Map<HeldLease, Long>> all = new LinkedHashMap<>();
        int count = 0;
        for (int i = 0; i < holders; i++) {
            String holder = holder(in);
            int own = number(Short.toUnsignedInt(in.getShort()), 1, MOST_LEASES - count);
            Map<HeldLease, Long> ends = new LinkedHashMap<>();
            for (int j = 0; j < own; j++) {
                HeldLease lease =
                        new HeldLease(number(in.getLong(), 1, lastToken), number(in.getLong(), 1, MOST_PERMITS));
                check(ends.put(lease, number(in.getLong(), 0, MOST)) == null);
            }
            check(all.put(holder, ends) == null);
            count += own;
        }
        return all;
    }

    private static List<Waiting> waiting(ByteBuffer in, int places) {
        List<Waiting> all = new ArrayList<>();
        for (int i = 0; i < places; i++) {
            String holder = holder(in);
            check(all.stream().noneMatch(other -> other.holder().equals(holder)));
            long permits = number(in.getLong(), 1, MOST_PERMITS);
            long till = number(in.getLong(), 0, MOST);
            all.add(new Waiting(holder, permits, till, number(in.get(), 0, TOLD) == TOLD));
        }
        return all;
    }

    private static String holder(ByteBuffer in) {
        byte[] name = new byte[number(in.get(), 1, LONGEST_HOLDER)];
        in.get(name);
        String holder = new String(name, US_ASCII);
        check(isHolder(holder));
        return holder;
    }

    private static int number(int number, int least, int most) {
        return (int) number((long) number, least, most);
    }

    private static long number(long number, long least, long most) {
        check(number >= least && number <= most);
        return number;
    }

    private static void check(boolean is) {
        if (!is) {
            throw new IllegalArgumentException("no state");
        }
    }
}
