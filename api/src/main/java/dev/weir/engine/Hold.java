package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Who holds the dial: one hand at a time. */
final class Hold {
    private final AtomicReference<@Nullable Claim> holder = new AtomicReference<>();

    Registration claimed(String hand, String limiter) {
        Claim claim = new Claim(Objects.requireNonNull(hand, "hand"));
        Claim other = holder.compareAndExchange(null, claim);
        if (other != null) {
            throw new IllegalStateException("the dial of " + limiter + " is in the hand of " + other.hand);
        }
        return claim;
    }

    private final class Claim implements Registration {
        private final String hand;

        Claim(String hand) {
            this.hand = hand;
        }

        @Override
        public void close() {
            holder.compareAndSet(this, null);
        }
    }
}
