package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.internal.Require;
import dev.weir.spi.Registration;
import dev.weir.succession.PartStrategy;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The {@link Adjustable} of one strategy. Stale once that has been replaced, or the claim of its owner closed. */
final class Dial implements Adjustable {
    private final Engine engine;
    private final PartStrategy strategy;
    private final Object generation;
    private final @Nullable Claim claim;

    Dial(Engine engine, ActiveStrategy active, @Nullable Claim claim) {
        this.engine = engine;
        this.strategy = active.strategy;
        this.generation = active.generation;
        this.claim = claim;
    }

    @Override
    public long limit() {
        return strategy.limit();
    }

    @Override
    public void setLimit(long limit) {
        setLimit(limit, "dial");
    }

    @Override
    public void setLimit(long limit, String why) {
        Require.that(limit >= 1, "limit must be >= 1", limit);
        engine.setLimit(strategy, this, limit, why);
    }

    @Override
    public boolean stale() {
        return engine.active.generation != generation || (claim != null && !claim.isOpen());
    }

    /** The claim of one owner to the dial of a limiter, until it is closed. */
    static final class Claim implements Registration {
        /*
         * The owner's dial is asked whether it is stale under the lock of changes, and the claim is closed under the same lock:
         *
         *     owner                                who closes the claim
         *     calculates a limit
         *                                          changes { closes }, sets the limit of a document
         *     changes { stale: sets nothing }
         *
         * So a limit that was calculated before the end of the claim is not set after it.
         */
        private final AtomicReference<@Nullable Claim> current;
        private final Object changes;
        private final String owner;

        private Claim(AtomicReference<@Nullable Claim> current, Object changes, String owner) {
            this.current = current;
            this.changes = changes;
            this.owner = Objects.requireNonNull(owner, "owner");
        }

        /** Claims a dial; throws {@code IllegalStateException} while another claim to it is open. */
        static Claim of(AtomicReference<@Nullable Claim> current, Object changes, String owner, String limiter) {
            Claim claim = new Claim(current, changes, owner);
            Claim other = current.compareAndExchange(null, claim);
            if (other != null) {
                throw new IllegalStateException("the dial of limiter " + limiter + " is claimed by " + other.owner);
            }
            return claim;
        }

        /** This claim, if it is to the dial whose claims are kept there. */
        static Claim checked(Registration claim, AtomicReference<@Nullable Claim> current) {
            if (claim instanceof Claim known && known.current == current) {
                return known;
            }
            throw new IllegalArgumentException("claim must be one to the dial of this limiter, was " + claim);
        }

        boolean isOpen() {
            return current.get() == this;
        }

        @Override
        public void close() {
            synchronized (changes) {
                current.compareAndSet(this, null);
            }
        }
    }
}
