package dev.weir.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the script of the semaphore must answer, worked out slowly: each lease is kept, and summed for each answer. */
final class SemaphoreModel {
    private record Held(long token, long permits, String holder) {}

    private final Map<Held, Long> ends = new LinkedHashMap<>();
    private long now;
    private long server;
    private long closedUntil;
    private long since;
    private long lastToken;
    private long till;
    private String turn = "";

    /** Moves the time of the server, which may go back. */
    void time(long micros) {
        now += Math.max(0, micros - server);
        server = micros;
    }

    /** All state is lost, as by a restart. */
    void lose() {
        ends.clear();
        now = server;
        closedUntil = 0;
        since = 0;
        till = 0;
    }

    /** All state is lost to something else under the key. */
    void junk(long lease) {
        lose();
        closedUntil = server + lease;
    }

    long used() {
        ends.values().removeIf(end -> end <= now);
        return ends.keySet().stream().mapToLong(Held::permits).sum();
    }

    private void restarted(long reported, long lease) {
        used();
        if (reported > since && server < reported + lease) {
            closedUntil = Math.max(closedUntil, now + Math.min(lease, reported + lease - server));
            since = reported;
        }
    }

    List<Long> grant(
            int operation, long permits, long reported, long limit, long lease, String holder, boolean claims) {
        restarted(reported, lease);
        long used = used();
        boolean othersTurn = now < till && !turn.equals(holder);
        if (operation == Script.CHARGE || (now >= closedUntil && !othersTurn && used + permits <= limit)) {
            till = turn.equals(holder) ? 0 : till;
            lastToken = Math.max(lastToken + 1, now);
            ends.put(new Held(lastToken, permits, holder), now + lease);
            return reply(permits, limit, 0, List.of(lastToken));
        }
        if (permits > limit) {
            return reply(0, limit, -1, List.of(0L));
        }
        if (now < closedUntil) {
            return reply(0, limit, closedUntil - now, List.of(-1L));
        }
        long first = ends.values().stream().mapToLong(end -> end).min().orElse(now);
        if (claims && !othersTurn) {
            turn = holder;
            till = now + 100_000;
        }
        return reply(0, limit, Math.max(1, first - now), List.of(claims && !othersTurn ? -2L : 0L));
    }

    List<Long> renew(List<HeldLease> leases, long reported, long limit, long lease, String holder) {
        restarted(reported, lease);
        List<Long> done = new ArrayList<>();
        for (HeldLease each : leases) {
            Held held = new Held(each.token(), each.permits(), holder);
            boolean enters = now < closedUntil && used() + each.permits() <= limit;
            boolean renews = ends.containsKey(held) || enters;
            if (renews) {
                ends.put(held, now + lease);
            }
            done.add(renews ? 1L : 0L);
        }
        return reply(sum(done), limit, 0, done);
    }

    List<Long> release(List<HeldLease> leases, long reported, long limit, long lease, String holder) {
        restarted(reported, lease);
        List<Long> done = new ArrayList<>();
        for (HeldLease each : leases) {
            done.add(ends.remove(new Held(each.token(), each.permits(), holder)) == null ? 0L : 1L);
        }
        return reply(sum(done), limit, 0, done);
    }

    /** Microseconds until nothing is held and everything is granted. */
    long timeToFull() {
        return Math.max(reset(), Math.max(0, closedUntil - now));
    }

    long lastToken() {
        return lastToken;
    }

    private long reset() {
        return Math.max(0, ends.values().stream().mapToLong(end -> end).max().orElse(0) - now);
    }

    private static long sum(List<Long> numbers) {
        return numbers.stream().mapToLong(number -> number).sum();
    }

    private List<Long> reply(long granted, long limit, long retry, List<Long> results) {
        long remaining = now < closedUntil ? 0 : Math.max(0, limit - used());
        List<Long> reply = new ArrayList<>(List.of(granted, remaining, limit, reset(), retry, server));
        reply.addAll(results);
        return reply;
    }
}
