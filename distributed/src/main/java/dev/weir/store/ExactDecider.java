package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.DelayLine;
import dev.weir.store.internal.StoreCommand;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The decider of {@link Mode.Exact}: the store decides each request after it was made. Each is a call of
 * its own, unless some of its key are on their way: then requests for one permit wait for one of them to end, and are asked
 * together, as {@link JoinedRequests} tells. Thread-safe.
 */
final class ExactDecider implements Decider {
    private final Decisions decisions;
    private final Ticker ticker;
    private final ConcurrentMap<Optional<Object>, JoinedRequests> keys = new ConcurrentHashMap<>();
    private final DelayLine<JoinedRequests.Waiting> waits;

    ExactDecider(Decisions decisions, long timeoutNanos, Ticker ticker, Alarm alarm) {
        this.decisions = decisions;
        this.ticker = ticker;
        this.waits = new DelayLine<>(ticker, alarm, timeoutNanos, this::waitedTooLong);
    }

    @Override
    public @Nullable Decision tryNow(Request request) {
        return null;
    }

    @Override
    public void ask(StoreRequest pending) {
        if (pending.request().permits() != 1) {
            decisions.ask(pending, reply -> {});
            return;
        }
        Optional<Object> key = Optional.ofNullable(pending.request().key());
        while (true) {
            JoinedRequests joined = keys.computeIfAbsent(key, each -> new JoinedRequests(ticker));
            switch (joined.enter()) {
                case SEND -> {
                    decisions.ask(pending, reply -> next(key, joined, reply != null));
                    return;
                }
                case WAIT -> {
                    JoinedRequests.Waiting waiting = new JoinedRequests.Waiting(pending, decisions.now());
                    waits.add(waiting);
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
            joined.takeAll().forEach(this::decideAway);
        }
        joined.end();
        askWaiting(key, joined);
    }

    private void askWaiting(Optional<Object> key, JoinedRequests joined) {
        List<JoinedRequests.Waiting> together = joined.next();
        if (together.isEmpty()) {
            if (joined.isEnded()) {
                keys.remove(key, joined);
            }
            return;
        }
        Joined command = new Joined(key, joined, together);
        if (!decisions.send(key.orElse(null), command)) {
            command.decideAway();
        }
    }

    private void waitedTooLong(JoinedRequests.Waiting waiting) {
        decideAway(waiting);
    }

    private void decideAway(JoinedRequests.Waiting waiting) {
        if (waiting.end()) {
            StoreRequest request = waiting.request();
            decisions.settle(request, decisions.away().decide(request.request()));
        }
    }

    /** Requests that wait have commands on their way before them. */
    @Override
    public void close() {}

    /** One command for requests for one permit each of the same key: the store grants as many as it can, the first of them. */
    private final class Joined implements StoreCommand<Reply>, StorePermit.Account {
        private final StoreLimit limit = decisions.store();
        private final long sentAt = decisions.now();
        private final Optional<Object> key;
        private final JoinedRequests joined;
        private final List<JoinedRequests.Waiting> together;

        private Joined(Optional<Object> key, JoinedRequests joined, List<JoinedRequests.Waiting> together) {
            this.key = key;
            this.joined = joined;
            this.together = together;
        }

        @Override
        public CompletionStage<Reply> send() {
            return limit.acquireUpTo(key.orElse(null), together.size());
        }

        @Override
        public void answered(Reply reply) {
            try {
                decide(reply);
            } finally {
                next(key, joined, true); // Last: what is asked for by those that were decided goes together.
            }
        }

        private void decide(Reply reply) {
            int granted = (int) Math.min(reply.granted(), together.size());
            for (int i = 0; i < granted; i++) {
                grant(together.get(i), reply, granted - 1 - i);
            }
            for (int i = granted; i < together.size(); i++) {
                refuse(together.get(i), reply);
            }
        }

        /* Those after this one had not been granted at its turn. */
        private void grant(JoinedRequests.Waiting waiting, Reply reply, long after) {
            StoreRequest pending = waiting.request();
            Request request = pending.request();
            if (waiting.end()) {
                decisions.away().granted(request, 1);
                long remaining = reply.remaining() + after;
                pending.complete(new StorePermit(this, request, reply, remaining, sentAt, reply.counts(limit, sentAt)));
            } else {
                refund(request.key(), 1, sentAt, reply.counts(limit, sentAt));
            }
        }

        @Override
        public void refund(@Nullable Object of, long permits, long grantedAt, long counts) {
            decisions.correct(limit, of, permits, grantedAt, counts);
        }

        @Override
        public void settledAgain() {
            decisions.charges().countSettledAgain();
        }

        private void refuse(JoinedRequests.Waiting waiting, Reply reply) {
            if (waiting.end()) {
                decisions.settle(waiting.request(), decisions.refused(reply));
            }
        }

        @Override
        public void notSent() {
            decideAway();
        }

        @Override
        public void failed() {
            decisions.charges().isInDoubt(together.size());
            decideAway();
        }

        private void decideAway() {
            together.forEach(ExactDecider.this::decideAway);
            next(key, joined, false);
        }

        @Override
        public void answeredLate(Reply reply) {
            decisions.charges().isInDoubt(-together.size());
            refund(key.orElse(null), reply.granted(), sentAt, reply.counts(limit, sentAt));
        }
    }
}
