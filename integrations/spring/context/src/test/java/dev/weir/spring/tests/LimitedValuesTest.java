package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.keyed.Keyed;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.expression.EvaluationException;

/** Limited methods that return values: who is admitted, what a call costs and counts by, and that its permit is released. */
class LimitedValuesTest {
    private final Names names = Names.builder().executor(Runnable::run).build();
    private final Released released = Released.of(names);

    @AfterEach
    void close() {
        names.close();
    }

    private long inFlight(String name) {
        return names.limiter(name).snapshot().inFlight();
    }

    private static Rejection refused(Executable call) {
        return assertThrows(LimitExceededException.class, call).rejection();
    }

    record User(String id) {}

    static class Anonymous {}

    static class Shop {
        private final Names names;

        Shop(Names names) {
            this.names = names;
        }

        @Limited("checkout")
        long sell() {
            return names.limiter("checkout").snapshot().inFlight();
        }

        @Limited("checkout")
        void fail(Throwable thrown) throws Throwable {
            throw thrown;
        }

        @Limited(names = {"checkout", "orders"})
        String both() {
            return names.limiter("checkout").snapshot().inFlight() + " of checkout, "
                    + names.limiter("orders").snapshot().inFlight() + " of orders";
        }

        @Limited(name = "${limit.of.users}", key = "#user.id")
        int visit(User user) {
            return 1;
        }

        @Limited(name = "by-user", key = "#user")
        int of(Object user) {
            return 1;
        }

        @Limited(name = "bytes", cost = "#content.length")
        int upload(byte[] content) {
            return content.length;
        }

        @Limited(name = "bytes", cost = "${cost.of.three:3}")
        int uploadThree() {
            return 3;
        }
    }

    private AnnotationConfigApplicationContext shop() {
        names.limiter("checkout", new Semaphore(1));
        names.limiter("orders", new Semaphore(5));
        names.limiter("by-user", Keyed.of(TokenBucket.of(1, Duration.ofHours(1)), 100));
        names.limiter("bytes", TokenBucket.of(10, Duration.ofHours(1)));
        System.setProperty("limit.of.users", "by-user");
        try {
            return Started.with(names, Shop.class);
        } finally {
            System.clearProperty("limit.of.users");
        }
    }

    @Test
    void aCallHoldsItsPermitUntilItReturns() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals(1, shop.sell());
            assertEquals(0, inFlight("checkout"));

            Permit held = (Permit) names.limiter("checkout").tryAcquire();
            Rejection refused = refused(shop::sell);
            assertEquals("checkout", refused.limiter());
            assertEquals(Reason.CONCURRENCY, refused.reason());

            held.release(Outcome.SUCCESS);
            assertEquals(1, shop.sell());
            assertEquals(List.of(Outcome.SUCCESS, Outcome.SUCCESS, Outcome.SUCCESS), released.outcomes());
        }
    }

    @Test
    void whatIsThrownPassesAsItIsAndIsTheOutcome() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            List<Throwable> all = List.of(
                    new IOException("a"),
                    new TimeoutException("b"),
                    new AssertionError("c"),
                    new IllegalStateException("d"));
            for (Throwable each : all) {
                assertSame(each, assertThrows(Throwable.class, () -> shop.fail(each)));
                assertEquals(0, inFlight("checkout"));
            }
            assertEquals(
                    List.of(Outcome.IGNORED, Outcome.DROPPED, Outcome.IGNORED, Outcome.IGNORED), released.outcomes());
        }
    }

    @Test
    void severalLimitsGrantACallOrNoneIsUsed() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals("1 of checkout, 1 of orders", shop.both());

            Permit held = (Permit) names.limiter("checkout").tryAcquire();
            assertEquals("checkout", refused(shop::both).limiter());
            assertEquals(0, inFlight("orders"));
            held.release(Outcome.SUCCESS);
        }
    }

    @Test
    void eachKeyIsCountedByItself() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals(1, shop.visit(new User("ann")));
            assertEquals(1, shop.visit(new User("bob")));
            assertEquals(Reason.RATE, refused(() -> shop.visit(new User("ann"))).reason());
        }
    }

    @Test
    void aMissingKeyIsRefusedAndAFailingExpressionFailsTheCall() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals(
                    Reason.KEY_MISSING,
                    refused(() -> shop.visit(new User(null))).reason());
            assertEquals(
                    Reason.KEY_MISSING, refused(() -> shop.visit(new User(""))).reason());
            assertThrows(EvaluationException.class, () -> shop.visit(null));
        }
    }

    @Test
    void aCallCostsWhatItSays() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals(6, shop.upload(new byte[6]));
            assertEquals(3, shop.uploadThree());
            assertEquals(Reason.RATE, refused(() -> shop.upload(new byte[2])).reason());
            assertEquals(1, shop.upload(new byte[1]));
            assertEquals(
                    "cost must be a number >= 1, was 0 of #content.length",
                    assertThrows(IllegalArgumentException.class, () -> shop.upload(new byte[0]))
                            .getMessage());
        }
    }

    static class Pages {
        @Limited(
                name = "pages",
                keys = {"user=#p0", "page = #a1"})
        String read(String user, int page) {
            return user + page;
        }

        @Limited(name = "users", key = "#user")
        String write(String user) {
            return user;
        }

        @Limited("users-or-none")
        String list() {
            return "all";
        }
    }

    @Test
    void aDocumentSaysWhatCountsByWhichDimension() {
        String yaml = """
                limits:
                  pages: { rate: 1/h, key: [user, page] }
                  users: { rate: 1/h, key: user }
                  users-or-none: { rate: 1/h, key: user, key-missing: share }
                """;
        try (LimiterRegistry registry = Started.document(yaml);
                var app = Started.with(registry.names(), Pages.class)) {
            Pages pages = app.getBean(Pages.class);
            assertEquals("ann1", pages.read("ann", 1));
            assertEquals("ann2", pages.read("ann", 2));
            assertEquals("bob1", pages.read("bob", 1));
            assertEquals(Reason.RATE, refused(() -> pages.read("ann", 1)).reason());
            assertEquals("ann", pages.write("ann"));
            assertEquals("bob", pages.write("bob"));
            assertEquals(Reason.RATE, refused(() -> pages.write("ann")).reason());
            assertEquals("all", pages.list());
            assertEquals(Reason.RATE, refused(pages::list).reason());
        }
    }

    @Limited("checkout")
    static class AllOfIt {
        public String sell() {
            return "sold";
        }

        @Limited("orders")
        public String order() {
            return "ordered";
        }

        String hidden() {
            return "hidden";
        }
    }

    @Test
    void aClassLimitsItsPublicMethodsButThoseThatSayMore() {
        names.limiter("checkout", new Semaphore(1));
        names.limiter("orders", new Semaphore(1));
        try (var app = Started.with(names, AllOfIt.class)) {
            AllOfIt all = app.getBean(AllOfIt.class);
            Permit held = (Permit) names.limiter("checkout").tryAcquire();
            refused(all::sell);
            assertEquals("ordered", all.order());
            assertEquals("hidden", all.hidden());
            assertEquals(AllOfIt.class, AopUtils.getTargetClass(all));
            held.release(Outcome.SUCCESS);
            assertEquals("sold", all.sell());
        }
    }

    interface Counter {
        @Limited("checkout")
        int next(String by);
    }

    static final class Final implements Counter {
        @Override
        public int next(String by) {
            return by.length();
        }
    }

    @Test
    void aFinalClassIsLimitedByItsInterfaces() {
        names.limiter("checkout", new Semaphore(1));
        try (var app = Started.with(names, Final.class)) {
            Counter counter = app.getBean(Counter.class);
            assertEquals(3, counter.next("abc"));
            Permit held = (Permit) names.limiter("checkout").tryAcquire();
            refused(() -> counter.next("abc"));
            held.release(Outcome.SUCCESS);
        }
    }

    @Test
    void aKeyIsTheTextOfItsValue() {
        try (var app = shop()) {
            Shop shop = app.getBean(Shop.class);
            assertEquals(1, shop.of(Optional.of(new StringBuilder("ann"))));
            assertEquals(Reason.RATE, refused(() -> shop.of("ann")).reason());
            assertEquals(
                    Reason.KEY_MISSING, refused(() -> shop.of(Optional.empty())).reason());

            String rule = "key must be a text or have a toString() of its own, was of ";
            assertEquals(
                    rule + Anonymous.class.getName() + " by #user",
                    assertThrows(IllegalArgumentException.class, () -> shop.of(new Anonymous()))
                            .getMessage());
            assertEquals(
                    rule + "java.lang.String[] by #user",
                    assertThrows(IllegalArgumentException.class, () -> shop.of(new String[] {"ann"}))
                            .getMessage());
        }
    }
}
