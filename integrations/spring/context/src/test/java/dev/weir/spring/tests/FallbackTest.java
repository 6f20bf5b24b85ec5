package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;

/** Where refused calls go. */
class FallbackTest {
    private final Names names = Names.builder().build();
    private Permit held;

    @BeforeEach
    void exhaust() {
        held = (Permit) names.limiter("checkout", new Semaphore(1)).tryAcquire();
    }

    @AfterEach
    void close() {
        names.close();
    }

    static class Shop {
        private final List<String> lost = new ArrayList<>();

        @Limited(name = "checkout", fallback = "same")
        String sameParameters(String a, int b) {
            return "sold";
        }

        private String same(String a, int b) {
            return "same " + a + b;
        }

        @Limited(name = "checkout", fallback = "refused")
        String andRejection(String a, int b) {
            return "sold";
        }

        String refused(String a, int b, Rejection refused) {
            return refused.reason() + " " + a + b;
        }

        @Limited(name = "checkout", fallback = "alone")
        String rejectionAlone(String a, int b) {
            return "sold";
        }

        static String alone(Rejection refused) {
            return "alone " + refused.limiter();
        }

        @Limited(name = "checkout", fallback = "thrown")
        CharSequence nearest(String a) {
            return "sold";
        }

        CharSequence thrown(String a) {
            return "without";
        }

        CharSequence thrown(String a, Throwable thrown) {
            return "Throwable";
        }

        String thrown(String a, RejectedExecutionException thrown) {
            return "RejectedExecutionException " + thrown.getClass().getSimpleName();
        }

        CharSequence thrown(IllegalStateException thrown) {
            return "never";
        }

        @Limited(name = "checkout", fallback = "overloaded")
        int overloaded(Integer a) {
            return a;
        }

        int overloaded(Number a, LimitExceededException thrown) {
            return -a.intValue();
        }

        @Limited(name = "checkout", fallback = "lost")
        void returnsNothing(String a) {
            throw new AssertionError();
        }

        void lost(String a) {
            lost.add(a);
        }

        List<String> lost() {
            return lost;
        }

        @Limited(name = "checkout", fallback = "throwing")
        String fails(IllegalStateException thrown) {
            return "sold";
        }

        String throwing(IllegalStateException thrown) {
            throw thrown;
        }

        @Limited(name = "checkout", fallback = "desk::wait")
        String atTheDesk(String a) {
            throw new UnsupportedOperationException(a);
        }

        @Limited(name = "checkout", fallback = "proxied::ask")
        String byProxy(String a) {
            return "sold";
        }
    }

    static class Desk {
        String wait(Object a, Rejection refused) {
            return a + " waits for " + refused.limiter();
        }
    }

    interface Asked {
        String ask(String a);
    }

    static final class ByInterface implements Asked {
        @Override
        @Limited("other")
        public String ask(String a) {
            return a + " asked";
        }
    }

    static class Beans {
        @Bean
        Desk desk() {
            return new Desk();
        }

        @Bean
        Asked proxied() {
            return new ByInterface();
        }
    }

    private AnnotationConfigApplicationContext started() {
        names.limiter("other", new Semaphore(1));
        return Started.with(names, Shop.class, Beans.class);
    }

    @Test
    void eachFormIsCalled() {
        try (var app = started()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals("same x1", shop.sameParameters("x", 1));
            assertEquals("CONCURRENCY x1", shop.andRejection("x", 1));
            assertEquals("alone checkout", shop.rejectionAlone("x", 1));
            assertEquals(-7, shop.overloaded(7));
            shop.returnsNothing("y");
            assertEquals(List.of("y"), shop.lost());
        }
    }

    @Test
    void theNearestTypeIsCalled() {
        try (var app = started()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals("RejectedExecutionException LimitExceededException", shop.nearest("x"));
        }
    }

    @Test
    void aMethodOfAnotherBeanIsCalledThroughItsProxy() {
        try (var app = started()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals("x waits for checkout", shop.atTheDesk("x"));
            assertEquals("x asked", shop.byProxy("x"));
            Permit other = (Permit) names.limiter("other").tryAcquire();
            assertEquals(
                    "other",
                    assertThrows(LimitExceededException.class, () -> shop.byProxy("x"))
                            .rejection()
                            .limiter());
            other.close();
        }
    }

    @Test
    void whatTheFallbackOrTheWorkThrowsPasses() {
        try (var app = started()) {
            Shop shop = app.getBean(Shop.class);
            IllegalStateException thrown = new IllegalStateException("own");
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> shop.fails(thrown)));
            held.close();
            assertThrows(UnsupportedOperationException.class, () -> shop.atTheDesk("x"));
            assertEquals("sold", shop.fails(thrown));
        }
    }

    @Test
    void anInterruptedWaitIsARefusalAndTheThreadStaysInterrupted() {
        try (var app = started()) {
            Thread.currentThread().interrupt();
            String told = app.getBean(Shop.class).andRejection("x", 1);
            assertTrue(Thread.interrupted());
            assertTrue(told.equals(Reason.CANCELLED + " x1") || told.equals(Reason.CONCURRENCY + " x1"), told);
        }
    }
}
