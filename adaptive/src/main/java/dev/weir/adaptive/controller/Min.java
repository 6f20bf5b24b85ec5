package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The minimum of the limits of several controllers. Each evaluates a window when that is long enough for it, and continues from
 * its own last limit; {@link Window#limit()} is the one in force. While the limit of a member is not the minimum it may fall
 * but not rise: what the member sees then is the effect of the limit of another.
 *
 * <p>A member that throws keeps its last limit. Not thread-safe except {@link #why()}, which any thread may call.
 */
public final class Min implements Controller {
    private final List<Member> members = new ArrayList<>();
    private final AtomicLong failures = new AtomicLong();
    private long returned;
    private volatile Controller binding;

    private Min(Controller first, Controller... others) {
        members.add(new Member(first));
        for (Controller other : others) {
            members.add(new Member(other));
        }
        binding = first;
    }

    /** The minimum of these, which must not serve another limit. */
    public static Min of(Controller first, Controller... others) {
        return new Min(first, others);
    }

    @Override
    public boolean enough(Window window) {
        return members.stream().anyMatch(member -> member.enough(window));
    }

    @Override
    public long next(Window window, long limit) {
        for (Member member : members) {
            member.replace(returned, limit);
            member.evaluate(window);
        }
        return least();
    }

    @Override
    public long start(long limit) {
        members.forEach(member -> member.start(limit));
        return least();
    }

    private long least() {
        Member min = Collections.min(members, Comparator.comparingLong(member -> member.own));
        binding = min.controller;
        returned = min.own;
        return returned;
    }

    /** That of the member whose limit is the minimum. */
    @Override
    public String why() {
        long thrown = failures.get();
        return binding.why() + (thrown == 0 ? "" : " (members threw " + thrown + " times)");
    }

    /** Those of its members. */
    @Override
    public Set<String> signals() {
        return members.stream()
                .flatMap(member -> member.controller.signals().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The values of each member, with its index before the name: {@code "0.no-load"}. */
    @Override
    public Map<String, Double> learned() {
        Map<String, Double> all = new HashMap<>();
        for (int place = 0; place < members.size(); place++) {
            String prefix = place + ".";
            members.get(place).controller.learned().forEach((name, value) -> all.put(prefix + name, value));
        }
        return all;
    }

    @Override
    public void restore(Map<String, Double> learned, double trust) {
        for (int place = 0; place < members.size(); place++) {
            String prefix = place + ".";
            Map<String, Double> own = new HashMap<>();
            learned.forEach((name, value) -> {
                if (name.startsWith(prefix)) {
                    own.put(name.substring(prefix.length()), value);
                }
            });
            members.get(place).controller.restore(own, trust);
        }
    }

    /** A controller, the window that is not yet long enough for it, and its last limit. */
    private final class Member {
        private final Controller controller;
        private @Nullable Window waiting;
        private long own;

        Member(Controller controller) {
            this.controller = controller;
        }

        void start(long limit) {
            own = Math.max(1, limit);
            try {
                own = Math.max(1, controller.start(limit));
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }

        private Window seen(Window window) {
            return waiting == null ? window : waiting.plus(window);
        }

        boolean enough(Window window) {
            try {
                return controller.enough(seen(window));
            } catch (Throwable t) {
                waiting = null;
                failures.getAndIncrement();
                return false;
            }
        }

        /* If another limit than the one returned is in force: that is the new limit of the members that caused the old one. */
        void replace(long before, long limit) {
            if (limit > before) {
                own = Math.max(own, limit);
            } else if (own == before) {
                own = Math.max(1, limit);
            }
        }

        void evaluate(Window window) {
            try {
                Window seen = seen(window);
                if (controller.enough(seen)) {
                    waiting = null;
                    long asked = controller.next(seen, own);
                    own = Math.max(1, own > window.limit() ? Math.min(asked, own) : asked);
                } else {
                    waiting = seen;
                }
            } catch (Throwable t) {
                waiting = null;
                failures.getAndIncrement();
            }
        }
    }
}
