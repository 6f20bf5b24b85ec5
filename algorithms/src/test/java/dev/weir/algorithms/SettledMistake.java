package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.ByCost;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.SettledRate;
import org.jspecify.annotations.Nullable;

/** A rate by cost with a mistake that is easily made. */
record SettledMistake(StrategySpec rate, Kind mistake) implements PartSpec {
    /** What is wrong. */
    enum Kind {
        /** Nothing. */
        NONE,
        /** What goes back goes back twice. */
        REFUNDS_TWICE,
        /** Nothing goes back. */
        KEEPS_ALL,
        /** What is charged is charged only as far as it is left. */
        CHARGES_NO_DEBT,
        /** What is charged is charged twice. */
        CHARGES_TWICE,
        /** Another limit forgives what is below zero. */
        FORGIVES
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Running(this, ticker);
    }

    private static final class Running implements PartStrategy, ByCost {
        private final SettledMistake spec;
        private final Ticker ticker;
        private SettledRate right;

        Running(SettledMistake spec, Ticker ticker) {
            this.spec = spec;
            this.ticker = ticker;
            this.right = new SettledRate(spec.rate, false, ticker);
        }

        @Override
        public long acquire(Request request) {
            return right.acquire(request);
        }

        @Override
        public boolean isByCost() {
            return true;
        }

        @Override
        public boolean charge(Request request) {
            if (spec.mistake == Kind.CHARGES_NO_DEBT && right.quota(request).remaining() < request.cost()) {
                return true;
            }
            return right.charge(spec.mistake == Kind.CHARGES_TWICE ? request.settled(2 * request.cost()) : request);
        }

        @Override
        public void refundCost(Request back, long grantedAt) {
            for (int i = spec.mistake == Kind.REFUNDS_TWICE ? 2 : spec.mistake == Kind.KEEPS_ALL ? 0 : 1; i > 0; i--) {
                right.refundCost(back, grantedAt);
            }
        }

        @Override
        public void release(Request request, Outcome outcome) {
            right.release(request, outcome);
        }

        @Override
        public void refund(Request request, long grantedAt) {
            right.refund(request, grantedAt);
        }

        @Override
        public Account account() {
            return right.account();
        }

        @Override
        public @Nullable Quota quota(Request request) {
            return right.quota(request);
        }

        @Override
        public long limit() {
            return right.limit();
        }

        @Override
        public void setLimit(long limit) {
            if (spec.mistake == Kind.FORGIVES) {
                Account before = right.account();
                right = new SettledRate(spec.rate, false, ticker);
                right.charge(Request.ONE.settled(Math.max(1, Math.min(before.used(), before.burst()))));
            }
            right.setLimit(limit);
        }

        @Override
        public Traits traits() {
            return right.traits();
        }
    }
}
