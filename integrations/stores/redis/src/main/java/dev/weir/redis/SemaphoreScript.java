package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseReply;
import dev.weir.store.lease.LeaseReply.Reason;
import dev.weir.store.lease.LeaseTerms;
import java.util.ArrayList;
import java.util.List;

/** The script of a leased semaphore: its arguments and its replies. */
final class SemaphoreScript {
    static final int RENEW = 3;
    static final int RELEASE = 4;

    /** In place of a token: refused because only renewals are accepted. */
    private static final long CLOSED = -1;

    /** In place of a token: refused, and the holder waits. */
    private static final long WAITS = -2;

    private static final int HEADER = 6;

    private SemaphoreScript() {}

    /** {@code waitMicros}: after them the holder is forgotten if it is refused and does not ask again; 0 = it does not wait. */
    static List<byte[]> grant(int operation, long permits, LeaseTerms terms, String holder, long waitMicros) {
        List<byte[]> arguments = arguments(operation, permits, terms, holder);
        arguments.add(bytes(waitMicros));
        return arguments;
    }

    /** The arguments of {@link #RENEW} or {@link #RELEASE}. */
    static List<byte[]> leases(int operation, List<HeldLease> leases, LeaseTerms terms, String holder) {
        List<byte[]> arguments = arguments(operation, leases.size(), terms, holder);
        for (HeldLease lease : leases) {
            arguments.add(bytes(lease.token()));
            arguments.add(bytes(lease.permits()));
        }
        return arguments;
    }

    /* The third is set by the connection after a loss of state. */
    private static List<byte[]> arguments(int operation, long permits, LeaseTerms terms, String holder) {
        List<byte[]> arguments = new ArrayList<>();
        for (long number : new long[] {operation, permits, 0, terms.limit(), terms.leaseMicros()}) {
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
    static LeaseReply reply(List<Long> reply) {
        check(reply, 1);
        long token = reply.get(HEADER);
        return new LeaseReply(
                Math.max(0, token), reply.get(1), reply.get(2), reply.get(3), reply.get(4), reason(token));
    }

    private static Reason reason(long token) {
        if (token > 0) {
            return Reason.NONE;
        }
        return token == CLOSED ? Reason.RECOVERS : token == WAITS ? Reason.WAITS : Reason.HELD;
    }

    /**
     * Which of the leases were renewed or released.
     *
     * @throws IllegalArgumentException if it is no reply of the script
     */
    static List<Boolean> done(List<Long> reply, int leases) {
        check(reply, leases);
        return reply.subList(HEADER, HEADER + leases).stream()
                .map(done -> done == 1)
                .toList();
    }

    private static void check(List<?> reply, int results) {
        if (reply.size() < HEADER + results || !reply.stream().allMatch(Long.class::isInstance)) {
            throw new IllegalArgumentException("not a reply of the script: " + reply);
        }
    }
}
