package dev.weir.named.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/** The requests for one name that wait without a thread in a backend, which move together to the next one. Thread-safe. */
final class Arrivals {
    @GuardedBy("this")
    private final Set<FollowedRequest> waiting = new LinkedHashSet<>();

    synchronized void add(FollowedRequest request) {
        waiting.add(request);
    }

    synchronized void remove(FollowedRequest request) {
        waiting.remove(request);
    }

    private synchronized List<FollowedRequest> all() {
        List<FollowedRequest> all = new ArrayList<>(waiting);
        all.sort(FollowedRequest::compareArrival);
        return all;
    }

    /**
     * Takes them from where they wait, and asks for each where the name is answered now, in order of arrival.
     *
     * @param telling ends them: this thread must not wait for what depends on their decisions
     */
    void move(Executor telling) {
        List<FollowedRequest> all = all();
        Deque<FollowedRequest> taken = new ArrayDeque<>();
        // The last goes first, so that none is granted what those before it wait for.
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).leave(telling)) {
                taken.addFirst(all.get(i));
            }
        }
        taken.forEach(FollowedRequest::askAgain);
    }
}
