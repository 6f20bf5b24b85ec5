package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract finds each mistake that a refund or a quota usually has, and grants that are not reported, in a fixed window that otherwise passes. */
@Tag("nightly")
class StrategyContractTest {
    private static final long SECOND = 1_000_000_000L;

    private enum Mistake {
        NONE,
        REFUNDS_NOTHING,
        REFUNDS_WHAT_WAS_RESET,
        TRIMS_WHAT_IS_USED_TO_A_NEW_LIMIT,
        FALLS_BELOW_ZERO,
        RETURNS_WHEN_RELEASED,
        RETURNS_WHEN_RELEASED_AND_WHEN_REFUNDED,
        REPORTS_NOTHING_USED,
        TELLS_THAT_NOTHING_IS_USED,
        SPENDS_WHEN_ASKED,
        RESETS_TOO_EARLY
    }

    private record Window(long limit, Mistake mistake) implements StrategySpec {
        Window {
            if (limit < 1) {
                throw new IllegalArgumentException("limit must be >= 1, was " + limit);
            }
        }

        @Override
        public Strategy create(Ticker ticker) {
            return new Count(this, ticker);
        }

        @Override
        public boolean adjust(Strategy running) {
            running.setLimit(limit);
            return true;
        }
    }

    private static final class Count implements Strategy {
        private final Ticker ticker;
        private final Mistake mistake;
        private final long begun;
        private long limit;
        private long window;
        private long used;

        Count(Window spec, Ticker ticker) {
            this.ticker = ticker;
            this.mistake = spec.mistake;
            this.begun = ticker.read();
            this.limit = spec.limit;
        }

        private long windowAt(long reading) {
            return (reading - begun) / SECOND;
        }

        private void move(long reading) {
            if (windowAt(reading) > window) {
                window = windowAt(reading);
                used = 0;
            }
        }

        @Override
        public synchronized long acquire(Request request) {
            long now = ticker.read();
            move(now);
            if (request.permits() > limit) {
                return NEVER;
            }
            if (used > limit - request.permits()) {
                return (window + 1) * SECOND - (now - begun);
            }
            used += request.permits();
            return GRANTED;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            if (mistake == Mistake.RETURNS_WHEN_RELEASED
                    || (mistake == Mistake.RETURNS_WHEN_RELEASED_AND_WHEN_REFUNDED && outcome == Outcome.CANCELLED)) {
                refund(request, ticker.read());
            }
        }

        @Override
        public synchronized void refund(Request request, long grantedAt) {
            move(ticker.read());
            boolean isOlder = windowAt(grantedAt) < window && mistake != Mistake.REFUNDS_WHAT_WAS_RESET;
            if (!isOlder && mistake != Mistake.REFUNDS_NOTHING) {
                used = Math.max(mistake == Mistake.FALLS_BELOW_ZERO ? -limit : 0, used - request.permits());
            }
        }

        @Override
        public synchronized Account account() {
            move(ticker.read());
            return new Account(limit, SECOND, limit, mistake == Mistake.REPORTS_NOTHING_USED ? 0 : Math.max(0, used));
        }

        @Override
        public synchronized Quota quota(Request request) {
            long now = ticker.read();
            move(now);
            used += mistake == Mistake.SPENDS_WHEN_ASKED ? 1 : 0;
            long left = mistake == Mistake.TELLS_THAT_NOTHING_IS_USED ? limit : Math.max(0, limit - used);
            long reset = (window + 1) * SECOND - (now - begun) - (mistake == Mistake.RESETS_TOO_EARLY ? 1 : 0);
            return new Quota(limit, left, used == 0 ? 0 : reset, SECOND);
        }

        @Override
        public synchronized long limit() {
            return limit;
        }

        @Override
        public synchronized void setLimit(long next) {
            if (next < 1) {
                throw new IllegalArgumentException("limit must be >= 1, was " + next);
            }
            limit = next;
            used = mistake == Mistake.TRIMS_WHAT_IS_USED_TO_A_NEW_LIMIT ? Math.min(used, limit) : used;
        }

        @Override
        public Traits traits() {
            return Traits.RATE;
        }
    }

    private static final class OfWindows extends StrategyContract {
        private final Mistake mistake;

        OfWindows(Mistake mistake) {
            this.mistake = mistake;
        }

        @Override
        protected StrategySpec spec(long limit) {
            return new Window(limit, mistake);
        }

        @Override
        protected long maxWithin(long windowNanos, long limit) {
            return windowNanos < 2 ? limit : limit * ((windowNanos - 2) / SECOND + 2);
        }
    }

    private static void assertFound(Mistake mistake, Consumer<StrategyContract> test) {
        assertDoesNotThrow(() -> test.accept(new OfWindows(Mistake.NONE)));
        assertThrows(AssertionError.class, () -> test.accept(new OfWindows(mistake)));
    }

    /** After a change of the algorithm, all would be granted again. */
    @Test
    void W5_brokenTwin_grantsThatAreNotReported() {
        assertFound(Mistake.REPORTS_NOTHING_USED, StrategyContract::W5_whatWasGrantedIsUsed);
    }

    @Test
    void R6_brokenTwin_aRefundOfNothing() {
        assertFound(Mistake.REFUNDS_NOTHING, StrategyContract::R6_whatIsCancelledAtOnceCanBeGrantedAgainOnce);
        assertFound(Mistake.REFUNDS_NOTHING, StrategyContract::R6_waitersOfAQueueGetWhatIsRefundedAndNoMore);
    }

    /** 3 of 3 are granted, the window ends, 3 are granted again; then the first ones are cancelled. */
    @Test
    void R6_brokenTwin_aRefundAfterAReset() {
        assertFound(Mistake.REFUNDS_WHAT_WAS_RESET, StrategyContract::R6_afterAResetNothingIsRefunded);
        assertFound(Mistake.REFUNDS_WHAT_WAS_RESET, StrategyContract::R6_whatHasRefilledSinceIsNotRefunded);
    }

    /** 2 and 2 of 4 are granted, the limit becomes 2, 2 are cancelled: nothing is free. */
    @Test
    void R6_brokenTwin_aRefundAfterAChange() {
        assertFound(Mistake.TRIMS_WHAT_IS_USED_TO_A_NEW_LIMIT, StrategyContract::R6_afterAChangeARefundCreatesNothing);
    }

    @Test
    void R6_brokenTwin_aRefundOfMoreThanWasGranted() {
        assertFound(Mistake.FALLS_BELOW_ZERO, StrategyContract::R6_moreRefundsThanGrantsCreateNothing);
    }

    @Test
    void R6_brokenTwin_aRefundByEachRelease() {
        assertFound(
                Mistake.RETURNS_WHEN_RELEASED, StrategyContract::R6_whatIsCancelledIsNotRefundedUnlessThatWasAskedFor);
    }

    @Test
    void R6_brokenTwin_aRefundBesideARelease() {
        assertFound(
                Mistake.RETURNS_WHEN_RELEASED_AND_WHEN_REFUNDED,
                StrategyContract::R6_waitersOfAQueueGetWhatIsRefundedAndNoMore);
    }

    /** Clients are told to go on, and are refused. */
    @Test
    void S20_brokenTwin_aQuotaThatForgetsWhatIsUsed() {
        assertFound(Mistake.TELLS_THAT_NOTHING_IS_USED, StrategyContract::S20_whatTheQuotaSaysIsLeftIsWhatRequestsGet);
    }

    @Test
    void S20_brokenTwin_aQuotaThatSpends() {
        assertFound(Mistake.SPENDS_WHEN_ASKED, StrategyContract::S20_askingForTheQuotaSpendsNothing);
    }

    /** One nanosecond before the window ends. */
    @Test
    void S20_brokenTwin_aResetThatIsTooEarly() {
        assertFound(Mistake.RESETS_TOO_EARLY, StrategyContract::S20_whenTheQuotaIsResetNothingIsUsed);
    }
}
