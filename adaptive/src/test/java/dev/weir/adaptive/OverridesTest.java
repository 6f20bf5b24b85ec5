package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverridesTest {
    private static final Bounds BASE = Bounds.of(1, 100);
    private static final Bounds HIGH = Bounds.of(500, 1000);
    private static final Bounds LOW = Bounds.of(2, 5);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1000);
    private final Overrides overrides = new Overrides(BASE, time, null);

    @Test
    void anOverrideLastsAsLongAsItSays() {
        overrides.add(HIGH, HOUR, "sale");
        time.advance(HOUR.toNanos() - 1);
        assertSame(HIGH, overrides.inForce());
        time.advance(1);
        assertSame(BASE, overrides.inForce());
        time.jumpTo(time.read() - HOUR.toNanos()); // it does not come back with a clock that does
        assertSame(BASE, overrides.inForce());
    }

    @Test
    void theNewestWinsWhileItLasts() {
        overrides.add(HIGH, HOUR, "sale");
        time.advance(Duration.ofMinutes(10));
        Registration low = overrides.add(LOW, Duration.ofMinutes(10), "fire");
        assertSame(LOW, overrides.inForce());
        time.advance(Duration.ofMinutes(10));
        assertSame(HIGH, overrides.inForce());
        low.close();
        Registration again = overrides.add(LOW, HOUR, "fire");
        assertSame(LOW, overrides.inForce());
        again.close();
        again.close();
        assertSame(HIGH, overrides.inForce());
        time.advance(HOUR);
        assertSame(BASE, overrides.inForce());
    }

    @Test
    void otherBoundsBelowAnOverrideComeIntoForceAfterIt() {
        overrides.add(HIGH, HOUR, "sale");
        overrides.base(LOW);
        assertSame(HIGH, overrides.inForce());
        time.advance(HOUR);
        assertSame(LOW, overrides.inForce());
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> overrides.add(HIGH, Duration.ZERO, "sale"));
        assertThrows(IllegalArgumentException.class, () -> overrides.add(HIGH, Duration.ofSeconds(-1), "sale"));
        assertThrows(IllegalArgumentException.class, () -> overrides.add(HIGH, HOUR, " "));
        assertThrows(IllegalArgumentException.class, () -> new DailyBounds(LocalTime.NOON, LocalTime.NOON, HIGH));
    }

    @ParameterizedTest
    @CsvSource({
        "08:00, 09:00, 07:59:59.999999999, false",
        "08:00, 09:00, 08:00, true",
        "08:00, 09:00, 08:59:59.999999999, true",
        "08:00, 09:00, 09:00, false",
        "22:00, 02:00, 21:59, false",
        "22:00, 02:00, 22:00, true",
        "22:00, 02:00, 00:00, true",
        "22:00, 02:00, 01:59, true",
        "22:00, 02:00, 02:00, false",
        "22:00, 00:00, 23:59, true",
        "22:00, 00:00, 00:00, false",
    })
    void aTimeOfDayIsFromThenUntilThen(LocalTime from, LocalTime to, LocalTime time, boolean contained) {
        assertEquals(contained, new DailyBounds(from, to, HIGH).contain(time));
    }

    /** Bounds for 02:30 to 03:30 in Berlin, at this time in UTC. */
    @ParameterizedTest
    @CsvSource({
        "2026-06-01T00:29:59Z, false",
        "2026-06-01T00:30:00Z, true",
        "2026-06-01T01:30:00Z, false",
        // 2026-03-29: 02:00 is 03:00
        "2026-03-29T00:59:59Z, false",
        "2026-03-29T01:00:00Z, true",
        "2026-03-29T01:30:00Z, false",
        // 2026-10-25: 03:00 is 02:00 once more
        "2026-10-25T00:29:59Z, false",
        "2026-10-25T00:30:00Z, true",
        "2026-10-25T01:00:00Z, false",
        "2026-10-25T01:30:00Z, true",
        "2026-10-25T02:29:59Z, true",
        "2026-10-25T02:30:00Z, false",
    })
    void aTimeOfDayIsByTheClockOnTheWall(Instant now, boolean inForce) {
        Clock clock = Clock.fixed(now, ZoneId.of("Europe/Berlin"));
        Overrides.DailySchedule daily = new Overrides.DailySchedule(
                clock, List.of(new DailyBounds(LocalTime.parse("02:30"), LocalTime.parse("03:30"), HIGH)));
        assertSame(inForce ? HIGH : BASE, new Overrides(BASE, time, daily).inForce());
    }

    @Test
    void aCalendarOutOfOrderChangesNothing() {
        boolean[] broken = {false};
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneId.of("UTC");
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                if (broken[0]) {
                    throw new IllegalStateException();
                }
                return Instant.parse("2026-03-01T12:00:00Z");
            }
        };
        Overrides.DailySchedule daily =
                new Overrides.DailySchedule(clock, List.of(new DailyBounds(LocalTime.NOON, LocalTime.MIDNIGHT, HIGH)));
        Overrides noon = new Overrides(BASE, time, daily);
        assertSame(HIGH, noon.inForce());
        broken[0] = true;
        time.advance(Duration.ofSeconds(2));
        assertSame(HIGH, noon.inForce());
    }

    /** A calendar that goes with virtual time, from ten to six in the evening. */
    private Clock evening() {
        long origin = time.read();
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneId.of("UTC");
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.parse("2026-03-01T17:50:00Z").plusNanos(time.read() - origin);
            }
        };
    }

    /** Changes nothing of its own accord. */
    private static final class Still implements Controller {
        @Override
        public long next(Window window, long limit) {
            return limit;
        }

        @Override
        public String why() {
            return "still";
        }
    }

    @Test
    void theLimitMovesIntoTheBoundsAndSaysWhy() {
        ManagedLimiter limiter =
                Limiters.builder("hot", new Semaphore(50)).ticker(time).build();
        List<String> moves = new ArrayList<>();
        limiter.observe(new LimiterObserver() {
            @Override
            public void onLimitChanged(long from, long to, String why) {
                moves.add(from + " -> " + to + " " + why);
            }
        });
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Still())
                .bounds(BASE)
                .ticker(time)
                .daily(
                        evening(),
                        ZoneId.of("UTC"),
                        List.of(new DailyBounds(LocalTime.of(18, 0), LocalTime.of(23, 0), Bounds.of(200, 300))))
                .build();
        Registration sale = control.override(HIGH, Duration.ofMinutes(5), "sale");
        time.advance(Duration.ofMinutes(5));
        look(control, limiter);
        control.override(LOW, HOUR, "fire").close();
        time.advance(Duration.ofMinutes(5));
        look(control, limiter);
        time.advance(Duration.ofHours(5));
        look(control, limiter);
        sale.close();
        assertEquals(
                List.of(
                        "50 -> 500 override: sale: into the bounds",
                        "500 -> 100 override: sale is over: into the bounds",
                        "100 -> 5 override: fire: into the bounds",
                        "5 -> 200 daily from 18:00 to 23:00: into the bounds",
                        "200 -> 100 daily from 18:00 to 23:00 is over: into the bounds"),
                moves);
        assertEquals(0, control.snapshot().failures());
    }

    /** Two looks, a slice apart: the first may only find that the last one is long ago. */
    private void look(AdaptiveControl control, ManagedLimiter limiter) {
        if (limiter.tryAcquire() instanceof Permit permit) {
            control.tick();
            time.advance(Duration.ofSeconds(1));
            permit.close();
            control.tick();
        }
    }
}
