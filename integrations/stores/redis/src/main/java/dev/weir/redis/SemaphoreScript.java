package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;

/** The script of a leased semaphore: its arguments and its replies. */
final class SemaphoreScript {
    static final int RENEW = 3;
    static final int RELEASE = 4;

    /** Refused because only renewals are accepted. */
    static final long CLOSED = -1;

    /** Refused, and the next permits are for this instance, if it asks again soon. */
    static final long NEXT = -2;

    /** Leases that one call renews or releases. */
    static final int MOST_LEASES = 64;

    private static final int HEADER = 6;

    private SemaphoreScript() {}

    /**
     * The reply to a request for a lease: a grant, or the reason for none.
     *
     * @param token the fencing token; 0 = refused; {@link #CLOSED}; {@link #NEXT}
     * @param retryMicros until the first lease ends, or until others than renewals are accepted
     */
    record Grant(long token, long remaining, long limit, long resetMicros, long retryMicros) {
        boolean isGranted() {
            return token > 0;
        }
    }

    /** {@code claims}: this instance has waited long. */
    static List<byte[]> grant(
            int operation, long permits, long since, long limit, long leaseMicros, String holder, boolean claims) {
        List<byte[]> arguments = arguments(operation, permits, since, limit, leaseMicros, holder);
        arguments.add(bytes(claims ? 1 : 0));
        return arguments;
    }

    /** The arguments of {@link #RENEW} or {@link #RELEASE}. */
    static List<byte[]> leases(
            int operation, List<HeldLease> leases, long since, long limit, long leaseMicros, String holder) {
        List<byte[]> arguments = arguments(operation, leases.size(), since, limit, leaseMicros, holder);
        for (HeldLease lease : leases) {
            arguments.add(bytes(lease.token()));
            arguments.add(bytes(lease.permits()));
        }
        return arguments;
    }

    private static List<byte[]> arguments(
            int operation, long permits, long since, long limit, long leaseMicros, String holder) {
        List<byte[]> arguments = new ArrayList<>();
        for (long number : new long[] {operation, permits, since, limit, leaseMicros}) {
            arguments.add(bytes(number));
        }
        arguments.add(holder.getBytes(US_ASCII));
        return arguments;
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(US_ASCII);
    }

    /**
     * @throws IllegalArgumentException if it is no reply of the script
     */
    static Grant grant(List<Long> reply) {
        check(reply, 1);
        return new Grant(reply.get(6), reply.get(1), reply.get(2), reply.get(3), reply.get(4));
    }

    /**
     * Which of the leases were renewed or released.
     *
     * @throws IllegalArgumentException if it is no reply of the script
     */
    static boolean[] done(List<Long> reply, int leases) {
        check(reply, leases);
        boolean[] done = new boolean[leases];
        for (int i = 0; i < leases; i++) {
            done[i] = reply.get(HEADER + i) == 1;
        }
        return done;
    }

    private static void check(List<?> reply, int results) {
        if (reply.size() < HEADER + results || !reply.stream().allMatch(Long.class::isInstance)) {
            throw new IllegalArgumentException("not a reply of the script: " + reply);
        }
    }
}
