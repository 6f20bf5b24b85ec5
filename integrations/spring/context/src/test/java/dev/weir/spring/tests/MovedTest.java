package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.spring.Limited;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The program of docs/start/from-spring.md, and what the page says of it. */
class MovedTest {
    private static final String LIMITS = """
            limits:
              checkout: { concurrency: 10 }
              search: { rate: 20/h, key: user }
            """;

    static class Shop {
        // #region ours
        @Limited(name = "checkout", fallback = "busy")
        String sell(String order) {
            return "sold " + order;
        }

        String busy(String order, Rejection refused) {
            return order + " is to come again: " + refused.reason();
        }

        @Limited(name = "search", key = "#user")
        String search(String user, String words) {
            return "found " + words;
        }
        // #endregion ours
    }

    @Test
    void aCallBeyondTheLimitGoesToTheFallbackAndTheLimitChangesWhileCallsRun() {
        try (LimiterRegistry limits = Started.document(LIMITS);
                AnnotationConfigApplicationContext context = Started.with(limits.names(), Shop.class)) {
            Shop shop = context.getBean(Shop.class);
            NamedLimiter checkout = limits.limiter("checkout");
            assertEquals("sold tea", shop.sell("tea"));
            int held = 0;
            while (checkout.tryAcquire() instanceof Permit) {
                held++;
            }
            assertEquals(10, held);
            assertEquals("tea is to come again: CONCURRENCY", shop.sell("tea"));
            limits.override("checkout", "concurrency: 11", Duration.ofMinutes(1), "ann", "a test");
            assertEquals("sold tea", shop.sell("tea"));
            assertEquals("found tea", shop.search("ann", "tea"));
        }
    }
}
