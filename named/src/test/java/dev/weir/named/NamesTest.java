package dev.weir.named;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.PlanPatch;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Names that code alone declares, caps and overrides, without any document. */
class NamesTest {
    private final VirtualTime time = new VirtualTime();
    private final List<ConfigEvent> events = new ArrayList<>();
    private final Names names = Names.builder()
            .ticker(time)
            .alarm(time)
            .executor(Runnable::run)
            .onEvent(events::add)
            .build();

    /** A patch of code: so many permits at once. */
    private record AtOnce(long permits) implements PlanPatch {
        @Override
        public Map<String, String> settings() {
            return Map.of("limit", Long.toString(permits));
        }

        @Override
        public LimitPlan over(String name, @Nullable LimitPlan base) {
            return LimitPlan.of(name, new Semaphore(permits));
        }
    }

    @Test
    void aHandIsAboveCodeUntilItsEnd() {
        NamedLimiter mail = names.limiter("mail", new Semaphore(20));
        assertSame(mail, names.limiter("mail"));
        names.override("mail", new AtOnce(5), Duration.ofMinutes(1), "ann", "incident 7");
        assertEquals(new Semaphore(5), mail.spec());
        assertEquals(Writer.OVERRIDE, names.explain("mail").writer());
        assertEquals(
                "ann",
                assertInstanceOf(ConfigEvent.Overridden.class, events.get(0))
                        .override()
                        .who());

        time.advance(Duration.ofMinutes(1));
        assertEquals(new Semaphore(20), mail.spec());
        assertEquals(Writer.CODE, names.explain("mail").writer());
    }

    /** A patch of code: half of what code declares. */
    private record Half() implements PlanPatch {
        @Override
        public Map<String, String> settings() {
            return Map.of("limit", "half");
        }

        @Override
        public LimitPlan over(String name, @Nullable LimitPlan base) {
            return LimitPlan.of(name, new Semaphore(((Semaphore) base.spec()).limit() / 2));
        }
    }

    @Test
    void aHandOfCodeFollowsWhatCodeDeclares() {
        NamedLimiter mail = names.limiter("mail", new Semaphore(20));
        names.override("mail", new Half(), Duration.ofMinutes(1), "ann", "incident 7");
        assertEquals(new Semaphore(10), mail.spec());
        names.limiter("mail", new Semaphore(40));
        assertEquals(new Semaphore(20), mail.spec());
    }

    @Test
    void capsHoldForAHandToo() {
        NamedLimiter mail = names.limiter("mail", new Semaphore(20), Caps.concurrency(30));
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> names.override("mail", new AtOnce(31), Duration.ofMinutes(1), "ann", "more"))
                .getMessage();
        assertTrue(message.contains("concurrency must be <= 30, declared in code, was 31"), message);
        assertEquals(new Semaphore(20), mail.spec());
    }

    @Test
    void aNameThatNobodyDeclaredIsRefusedAtOnce() {
        names.limiter("mail", new Semaphore(20));
        assertEquals(
                "name must be one of [mail], was mial; did you mean mail?",
                assertThrows(IllegalArgumentException.class, () -> names.limiter("mial"))
                        .getMessage());
        assertEquals(List.of("mail"), names.names());
    }

    @Test
    void severalNamesAreOneRequestUntilTheyAreClosed() {
        names.limiter("a", new Semaphore(2));
        names.limiter("b", new Semaphore(1));
        NamedLimiter both = names.limiter("a", "b");
        assertInstanceOf(Permit.class, both.tryAcquire());
        assertEquals("b", assertInstanceOf(Rejection.class, both.tryAcquire()).limiter());
        assertEquals(1, names.limiter("a").snapshot().inFlight());
        names.close();
        assertEquals(
                Reason.CANCELLED,
                assertInstanceOf(Rejection.class, both.tryAcquire()).reason());
    }
}
