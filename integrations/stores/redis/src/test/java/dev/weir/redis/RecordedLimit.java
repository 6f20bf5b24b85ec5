package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A limit counted by Redis, and the time of the server of each answer. Requests are for one permit. */
final class RecordedLimit implements StoreLimit {
    private final Redis redis;
    private final KeyName names;
    private final RedisRate rate;
    private final long[] answers;
    private final AtomicInteger answered = new AtomicInteger();

    RecordedLimit(Redis redis, String name, StrategySpec spec, int most) {
        this.redis = redis;
        names = KeyName.of("limit", name);
        rate = RedisRate.of(spec);
        answers = new long[most];
    }

    @Override
    public CompletionStage<Reply> acquire(Object key, long permits) {
        return run(Script.ACQUIRE, key, permits);
    }

    /** Requests that go together: the first are granted, the others refused. */
    @Override
    public CompletionStage<Reply> acquireUpTo(Object key, long permits) {
        return run(Script.ACQUIRE_UP_TO, key, permits);
    }

    private CompletionStage<Reply> run(int operation, Object key, long permits) {
        return redis.servers()
                .run(Script.LIMIT, names.of(key), Calls.of(rate, operation, permits, 0))
                .thenApply(answer -> {
                    long granted = answer.get(0);
                    for (long i = 0; i < permits; i++) {
                        answers[answered.getAndIncrement()] =
                                2 * RateAnswer.serverMicros(answer) + (i < granted ? 1 : 0);
                    }
                    return RateAnswer.of(answer).get();
                });
    }

    @Override
    public CompletionStage<Reply> charge(Object key, long permits) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<?> ping() {
        return redis.servers().ping();
    }

    /** Nothing, if not each permit that was granted to a caller was granted by the server, or an answer is missing. */
    void write(DataOutputStream out, int grantedToCallers) throws IOException {
        long granted = 0;
        for (long answer : answers) {
            granted += answer & 1;
        }
        if (answered.get() != answers.length || granted != grantedToCallers) {
            System.err.println(
                    answered + " answers, granted by the server " + granted + ", to callers " + grantedToCallers);
            return;
        }
        for (long answer : answers) {
            out.writeLong(answer);
        }
    }
}
