package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The least of what several controllers answer, for one dial has one hand. Each judges when what it has seen is enough for
 * it, and goes on from its own last answer, not from that of another; {@link Window#limit()} tells it what was in force.
 * While a member does not bind, its answer may fall but not rise: what it sees then is the effect of another's limit.
 *
 * <p>A member that throws keeps its last answer. Not thread-safe but for {@link #why()}.
 */
public final class Min implements Controller {
    private final List<Member> members = new ArrayList<>();
    private final AtomicLong failures = new AtomicLong();
    private long answered;
    private volatile Controller binding;

    private Min(Controller first, Controller... others) {
        members.add(new Member(first));
        for (Controller other : others) {
            members.add(new Member(other));
        }
        binding = first;
    }

    /** The least of these. Each serves no other limit. */
    public static Min of(Controller first, Controller... others) {
        return new Min(first, others);
    }

    @Override
    public boolean enough(Window window) {
        for (Member member : members) {
            if (member.enough(window)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long next(Window window, long limit) {
        Member least = members.get(0);
        for (Member member : members) {
            member.replace(answered, limit);
            member.judge(window);
            if (member.own < least.own) {
                least = member;
            }
        }
        binding = least.controller;
        answered = least.own;
        return answered;
    }

    @Override
    public long start(long limit) {
        Member least = members.get(0);
        for (Member member : members) {
            member.start(limit);
            if (member.own < least.own) {
                least = member;
            }
        }
        binding = least.controller;
        answered = least.own;
        return answered;
    }

    /** That of the member that binds. */
    @Override
    public String why() {
        long thrown = failures.get();
        return binding.why() + (thrown == 0 ? "" : " (members threw " + thrown + " times)");
    }

    /** What each member learned, its place before the name: {@code "0.no-load"}. */
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

    /** A controller, what it has yet to judge, and its last answer. */
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

        /* Something else than the answer was put in force: that is the new answer of those who had a part in the old one. */
        void replace(long answer, long limit) {
            if (limit > answer) {
                own = Math.max(own, limit);
            } else if (own == answer) {
                own = Math.max(1, limit);
            }
        }

        void judge(Window window) {
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
