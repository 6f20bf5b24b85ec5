package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Settled;
import dev.weir.redis.contract.ScriptCall;
import dev.weir.redis.contract.SettlingContract;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scripts with one mistake each fail the contract of limits by cost. */
@Tag("nightly")
@Needs(Server.REDIS)
class SettlingTwinsTest {
    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<byte[], byte[]> commands;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        commands = client.connect(ByteArrayCodec.INSTANCE).sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Test
    void brokenTwin_aWindowForgetsWhatIsOwedWhenItEnds() {
        fails("d.ceiling == 0 and used > most", "false", Twin::paid);
    }

    @Test
    void brokenTwin_whatIsOwedIsForgivenByAChange() {
        fails("return units, math.min(units, size)", "return units, units", Twin::change);
    }

    @Test
    void brokenTwin_aRefundToADebtForgetsHowLongItWasHeld() {
        fails("n * d.cost + held * d.leak", "n * d.cost", Twin::model);
    }

    @Test
    void brokenTwin_aWindowRefundsWhatAnEarlierOneGranted() {
        fails("time - start >= held", "true", Twin::model);
    }

    @Test
    void brokenTwin_whatIsLargerThanTheLimitIsGrantedInAnyCase() {
        fails("return reset == 0 and permits or 0", "return permits", Twin::once);
    }

    @Test
    void brokenTwin_whatIsLargerThanTheLimitIsNotOwed() {
        fails("op == OVERDRAW or op == ACQUIRE_ONCE", "op == OVERDRAW", Twin::once);
    }

    private static void fails(String right, String wrong, Consumer<Twin> test) {
        Twin twin = new Twin(right, wrong);
        assertThrows(AssertionError.class, () -> test.accept(twin), wrong);
        assertTrue(twin.changed, right);
    }

    private static final class Twin extends SettlingContract {
        private final String right;
        private final String wrong;
        private boolean changed;

        Twin(String right, String wrong) {
            this.right = right;
            this.wrong = wrong;
            prepare();
        }

        @Override
        protected RedisClusterCommands<byte[], byte[]> commands() {
            return commands;
        }

        @Override
        protected ScriptCall call(StrategySpec rate, int operation, long permits) {
            RedisRate counted = RedisRate.of(Settled.of(rate));
            return call(counted, counted.arguments(operation, permits, 0));
        }

        @Override
        protected ScriptCall refund(StrategySpec rate, long permits, long grantedAt) {
            RedisRate counted = RedisRate.of(Settled.of(rate));
            return call(counted, counted.refund(permits, grantedAt));
        }

        private ScriptCall call(RedisRate rate, List<byte[]> arguments) {
            String text = rate.script().text().replace(right, wrong);
            changed |= !text.equals(rate.script().text());
            return new ScriptCall(text, arguments);
        }

        void model() {
            eachAnswerIsThatOfAnExactModel();
        }

        void paid() {
            whatIsOwedIsPaidAtTheRateAndNobodyIsRefusedForLonger();
        }

        void change() {
            aChangeOfTheRateKeepsWhatIsOwedAndItRefusesNoLongerThanThatIsPaid();
        }

        void once() {
            whatIsLargerThanTheLimitIsGrantedIfNothingIsUsedAndIsOwed();
        }
    }
}
