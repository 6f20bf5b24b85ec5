package dev.weir.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The timed permits that are out, of those that must come home. */
final class Timed {
    private final Set<HeldPermit> out = ConcurrentHashMap.newKeySet();

    void granted(HeldPermit permit) {
        if (permit.holds()) {
            out.add(permit);
        }
    }

    void returned(HeldPermit permit) {
        out.remove(permit);
    }

    long[] ages(long now) {
        return out.stream()
                .mapToLong(permit -> Math.max(0, now - permit.trace().grantedAt))
                .toArray();
    }
}
