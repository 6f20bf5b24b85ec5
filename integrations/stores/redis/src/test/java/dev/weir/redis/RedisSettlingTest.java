package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.ModelAnswer;
import dev.weir.store.contract.Models;
import dev.weir.store.contract.SettledRateContract;
import dev.weir.store.contract.Specs;
import dev.weir.store.state.Operation;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Needs(Server.REDIS)
class RedisSettlingTest extends SettledRateContract {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final ScriptBench bench = ScriptBench.of(REDIS.bytes());

    @Override
    protected Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        return bench.step(spec, operation, permits, grantedAt, key, micros);
    }

    @Test
    void D3_aKeyLivesForAsLongAsSomethingIsOwed() {
        for (StrategySpec rate : Specs.single()) {
            if (rate instanceof Pacer) {
                continue;
            }
            String key = rate.toString();
            long permits = 4 * Models.of(rate).largest();
            ModelAnswer answer = ModelAnswer.of(bench.step(Settled.of(rate), Operation.CHARGE, permits, key));
            long left = bench.commands().pttl(bench.key(key));
            long reset = answer.reset() / 1_000;
            assertTrue(left <= 2 * reset + 1_000, rate + " lives " + left + " ms, " + answer);
            assertTrue(left >= reset - 2_000 || left == -2 && reset < 2_000, rate + " lives " + left + " " + answer);
        }
    }
}
