package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.SettledRateContract;
import dev.weir.store.state.Operation;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scripts with one mistake each fail the contract of limits by cost. */
@Tag("nightly")
@Needs(Server.REDIS)
class SettlingTwinsTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

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
        Twin twin = new Twin(ScriptBench.mistaken(REDIS.bytes(), right, wrong));
        assertThrows(AssertionError.class, () -> test.accept(twin), wrong);
    }

    private static final class Twin extends SettledRateContract {
        private final ScriptBench bench;

        Twin(ScriptBench bench) {
            this.bench = bench;
        }

        @Override
        protected Reply step(
                StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
            return bench.step(spec, operation, permits, grantedAt, key, micros);
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
