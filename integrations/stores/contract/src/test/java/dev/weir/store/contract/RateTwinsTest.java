package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.algorithms.Settled;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Arithmetic with one mistake each fails the contracts. */
class RateTwinsTest {
    private static final long DAY = 86_400_000_000L;

    /** A store with a mistake. */
    private interface Mistake {
        Reply step(
                States right,
                StrategySpec spec,
                Operation operation,
                long permits,
                long grantedAt,
                String key,
                long micros);
    }

    @Test
    void D1_brokenTwin_timePassesOneMicrosecondFaster() {
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) ->
                        right.step(spec, operation, permits, grantedAt, key, micros + micros % 2),
                Twin::model);
    }

    @Test
    void R1_brokenTwin_oneOfTenPermitsIsNotCounted() {
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) -> {
                    Reply reply = right.step(spec, operation, permits, grantedAt, key, micros);
                    if (reply.granted() > 0 && micros % 10 == 0) {
                        right.step(spec, Operation.CHARGE, -1, 0, key, micros);
                    }
                    return reply;
                },
                Twin::bound);
    }

    @Test
    void R4_brokenTwin_timeThatGoesBackIsForgotten() {
        long[] clock = {0, 0};
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) -> {
                    long moved = Math.abs(micros - clock[0]);
                    clock[1] = moved > DAY ? micros : clock[1] + moved;
                    clock[0] = micros;
                    return right.step(spec, operation, permits, grantedAt, key, clock[1]);
                },
                Twin::clock);
    }

    @Test
    void W5_brokenTwin_anotherSpecificationBeginsUnused() {
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) ->
                        right.step(spec, operation, permits, grantedAt, key + spec, micros),
                Twin::alternate);
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) ->
                        right.step(spec, operation, permits, grantedAt, key + spec, micros),
                Twin::pairs);
    }

    @Test
    void brokenTwin_aRetryIsOneMicrosecondEarly() {
        fails(
                (right, spec, operation, permits, grantedAt, key, micros) -> {
                    Reply reply = right.step(spec, operation, permits, grantedAt, key, micros);
                    long retry =
                            reply.retryAfterNanos() > 1_000 ? reply.retryAfterNanos() - 1_000 : reply.retryAfterNanos();
                    return new Reply(
                            reply.granted(), reply.remaining(), reply.limit(), reply.resetNanos(), retry, 0, 0);
                },
                Twin::retry);
    }

    @Test
    void brokenTwin_whatIsOwedIsForgotten() {
        failsByCost(
                (right, spec, operation, permits, grantedAt, key, micros) -> {
                    StrategySpec forgetful =
                            spec instanceof Settled settled && operation == Operation.CHARGE ? settled.rate() : spec;
                    return right.step(forgetful, operation, permits, grantedAt, key, micros);
                },
                ByCost::model);
    }

    @Test
    void brokenTwin_aRefundForgetsHowLongItWasHeld() {
        failsByCost(
                (right, spec, operation, permits, grantedAt, key, micros) ->
                        right.step(spec, operation, permits, micros, key, micros),
                ByCost::model);
    }

    private static void fails(Mistake mistake, Consumer<Twin> test) {
        assertThrows(AssertionError.class, () -> test.accept(new Twin(mistake)));
    }

    private static void failsByCost(Mistake mistake, Consumer<ByCost> test) {
        assertThrows(AssertionError.class, () -> test.accept(new ByCost(mistake)));
    }

    private static final class Twin extends RateContract {
        private final States states = new States(DAY);
        private final Mistake mistake;

        Twin(Mistake mistake) {
            this.mistake = mistake;
        }

        @Override
        protected Reply step(
                StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
            return mistake.step(states, spec, operation, permits, grantedAt, key, micros);
        }

        void model() {
            D1_D2_eachAnswerIsThatOfAnExactModel();
        }

        void bound() {
            R1_noWindowOfTheStoresTimeHasMoreThanTheBound();
        }

        void clock() {
            R4_aClockThatGoesBackAndForthEarnsNothing();
        }

        void alternate() {
            W5_W6_specificationsThatAlternateGrantNoMoreThanTheLargest();
        }

        void pairs() {
            W6_eachPairKeepsWhatWasUsedAndLocksNobodyOut();
        }

        void retry() {
            aRetryIsGrantedExactlyWhenToldAndNotOneMicrosecondEarlier();
        }
    }

    private static final class ByCost extends SettledRateContract {
        private final States states = new States(DAY);
        private final Mistake mistake;

        ByCost(Mistake mistake) {
            this.mistake = mistake;
        }

        @Override
        protected Reply step(
                StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
            return mistake.step(states, spec, operation, permits, grantedAt, key, micros);
        }

        void model() {
            eachAnswerIsThatOfAnExactModel();
        }
    }
}
