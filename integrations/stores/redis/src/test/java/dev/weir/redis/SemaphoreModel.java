package dev.weir.redis;

import dev.weir.store.lease.HeldLease;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the script of the semaphore must answer, worked out slowly: each lease is kept, and summed for each answer. */
final class SemaphoreModel {
    private record Held(long token, long permits, String holder) {}

    private record Waiting(String holder, long permits, long till, boolean told) {}

    private static final int MOST_WAITING = 64;
    private static final long TURN = 100_000;

    private final Map<Held, Long> ends = new LinkedHashMap<>();
    private final List<Waiting> line = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private long now;
    private long server;
    private long closedUntil;
    private long since;
    private long lastToken;

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
        line.clear();
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

    /** The holders that were told since the last call. */
    List<String> told() {
        List<String> all = List.copyOf(told);
        told.clear();
        return all;
    }

    List<Long> grant(int operation, long permits, long reported, long limit, long lease, String holder, long wait) {
        restarted(reported, lease);
        forget(limit);
        long used = used();
        Waiting mine = wait == 0
                ? null
                : line.stream()
                        .filter(each -> each.holder().equals(holder))
                        .findFirst()
                        .orElse(null);
        long before = (mine == null ? line : line.subList(0, line.indexOf(mine)))
                .stream().mapToLong(Waiting::permits).sum();
        if (operation == Script.CHARGE || (now >= closedUntil && used + before + permits <= limit)) {
            line.remove(mine);
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
        boolean waits = wait > 0 && (mine != null || line.size() < MOST_WAITING);
        if (waits) {
            Waiting next = new Waiting(holder, permits, now + wait, false);
            line.add(mine == null ? line.size() : line.indexOf(mine), next);
            line.remove(mine);
        }
        long first = ends.values().stream().mapToLong(end -> end).min().orElse(now);
        return reply(0, limit, Math.max(1, first - now), List.of(waits ? -2L : 0L));
    }

    private void forget(long limit) {
        line.removeIf(each -> each.till() <= now || each.permits() > limit);
    }

    private void tell(long limit) {
        long free = now < closedUntil ? 0 : limit - used();
        for (int i = 0; i < line.size() && free >= line.get(i).permits(); i++) {
            Waiting each = line.get(i);
            free -= each.permits();
            if (!each.told()) {
                line.set(i, new Waiting(each.holder(), each.permits(), now + TURN, true));
                told.add(each.holder());
            }
        }
    }

    List<Long> renew(List<HeldLease> leases, long reported, long limit, long lease, String holder) {
        restarted(reported, lease);
        forget(limit);
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
        forget(limit);
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
        tell(limit);
        long remaining = now < closedUntil ? 0 : Math.max(0, limit - used());
        List<Long> reply = new ArrayList<>(List.of(granted, remaining, limit, reset(), retry, server));
        reply.addAll(results);
        return reply;
    }
}
