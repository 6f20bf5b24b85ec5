package dev.weir.store;

import dev.weir.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The decider of {@link Mode.Exact}: the store decides each request after it was made. Each is a call of
 * its own, unless some of its key are on their way: then requests for one permit wait for one of them to end, and are asked
 * together, as {@link JoinedRequests} tells. Thread-safe.
 */
final class ExactDecider implements Decider {
    private final Decisions decisions;
    private final Ticker ticker;
    private final ConcurrentMap<Optional<Object>, JoinedRequests> keys = new ConcurrentHashMap<>();

    ExactDecider(Decisions decisions, Ticker ticker) {
        this.decisions = decisions;
        this.ticker = ticker;
    }

    @Override
    public void ask(StoreRequest pending) {
        if (pending.request().permits() != 1) {
            decisions.ask(pending, reply -> {}, null);
            return;
        }
        Optional<Object> key = Optional.ofNullable(pending.request().key());
        while (true) {
            JoinedRequests joined = keys.computeIfAbsent(key, each -> new JoinedRequests(ticker));
            switch (joined.enter()) {
                case SEND -> {
                    decisions.ask(pending, reply -> next(key, joined, reply != null), null);
                    return;
                }
                case WAIT -> {
                    WaitingRequest waiting = decisions.waiting(pending);
                    if (joined.add(waiting)) {
                        askWaiting(key, joined);
                        return;
                    }
                    if (!waiting.end()) {
                        return;
                    }
                }
                case ENDED -> keys.remove(key, joined);
            }
        }
    }

    /* A command of this key has ended: the requests that wait go next, or, if it was not answered, are decided here. */
    private void next(Optional<Object> key, JoinedRequests joined, boolean answered) {
        if (!answered) {
            joined.takeAll().forEach(decisions::decideAway);
        }
        joined.end();
        askWaiting(key, joined);
    }

    private void askWaiting(Optional<Object> key, JoinedRequests joined) {
        List<WaitingRequest> together = joined.next();
        if (together.isEmpty()) {
            if (joined.isEnded()) {
                keys.remove(key, joined);
            }
            return;
        }
        decisions.acquire(key.orElse(null), together.size(), false, new Together(key, joined, together));
    }

    /** The requests for one permit each of the same key that one command asks for: the store grants the first of them. */
    private final class Together implements Acquisition.Owner {
        private final Optional<Object> key;
        private final JoinedRequests joined;
        private final List<WaitingRequest> requests;

        private Together(Optional<Object> key, JoinedRequests joined, List<WaitingRequest> requests) {
            this.key = key;
            this.joined = joined;
            this.requests = requests;
        }

        @Override
        public void answered(Acquisition asked, Reply reply) {
            try {
                decide(asked, reply);
            } finally {
                next(key, joined, true); // Last: what is asked for by those that were decided goes together.
            }
        }

        private void decide(Acquisition asked, Reply reply) {
            int granted = (int) Math.min(reply.granted(), requests.size());
            for (int i = 0; i < granted; i++) {
                grant(requests.get(i), asked, reply, granted - 1 - i);
            }
            for (WaitingRequest refused : requests.subList(granted, requests.size())) {
                if (refused.end()) {
                    decisions.settle(refused.request(), decisions.refused(reply));
                }
            }
        }

        /* Those after this one had not been granted at its turn. */
        private void grant(WaitingRequest waiting, Acquisition asked, Reply reply, long after) {
            StoreRequest pending = waiting.request();
            if (waiting.end()) {
                decisions.away.granted(pending.request(), 1);
                pending.complete(asked.permit(null, pending.request(), reply, reply.remaining() + after));
            } else {
                asked.refund(1, reply);
            }
        }

        @Override
        public void unanswered() {
            requests.forEach(decisions::decideAway);
            next(key, joined, false);
        }
    }
}
