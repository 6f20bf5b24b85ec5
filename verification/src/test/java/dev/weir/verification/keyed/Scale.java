package dev.weir.verification.keyed;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.Arrays;

/** Measurements that need their own process; prints figures that {@link ScaleTest} reads. */
final class Scale {
    private static final TokenBucket ONE =
            TokenBucket.of(1, Duration.ofSeconds(1)).withCapacity(10);

    private Scale() {}

    public static void main(String[] args) {
        if (args[0].equals("flood")) {
            flood(Long.parseLong(args[1]));
        } else {
            memory(Integer.parseInt(args[1]), args[2]);
        }
    }

    /**
     * A table of 100,000 keys, 1/s and at most 10 at once each; 100,000 keys per second that are used once. In addition, each
     * millisecond, one attacking key sends ten requests, one new key sends its only request, and five of ten thousand
     * well-behaved keys send one request, each of them every two seconds.
     */
    private static void flood(long keys) {
        VirtualTime time =
                new VirtualTime(Long.MAX_VALUE - Duration.ofSeconds(20).toNanos());
        ManagedLimiter limiter = limiter(100_000, time);
        long attacker = 0;
        long regular = 0;
        long newKeys = 0;
        long milliseconds = keys / 100;
        for (long ms = 0; ms < milliseconds; ms++) {
            for (int i = 0; i < 100; i++) {
                admitted(limiter, "flood-" + (ms * 100 + i));
                attacker += i % 10 == 0 ? admitted(limiter, "attacker") : 0;
                regular += i % 20 == 0 ? admitted(limiter, "regular-" + (ms * 5 + i / 20) % 10_000) : 0;
            }
            newKeys += admitted(limiter, "newKey-" + ms);
            time.advance(1_000_000);
        }
        System.out.println("attacker " + attacker);
        System.out.println("attackerBound " + (10 + milliseconds / 1_000));
        System.out.println("regularPermille " + 1000 * regular / (milliseconds * 5));
        System.out.println("newKeysPermille " + 1000 * newKeys / milliseconds);
        limiter.snapshot().details().forEach((name, figure) -> System.out.println(name + " " + figure));
    }

    private static ManagedLimiter limiter(long maxKeys, VirtualTime time) {
        return Limiters.builder("scale", Keyed.of(ONE, maxKeys)).ticker(time).build();
    }

    private static int admitted(ManagedLimiter limiter, String key) {
        return limiter.tryAcquire(Request.forKey(key)) instanceof Permit ? 1 : 0;
    }

    /** A million keys; then their limit is changed, and time passes until they have no debt. */
    private static void memory(int keys, String change) {
        String[] names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = "user-" + i;
            names[i].hashCode();
        }
        long before = used();
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(keys, time);
        int admitted = 0;
        for (String name : names) {
            admitted += admitted(limiter, name);
        }
        switch (change) {
            case "dial" -> limiter.dial().setLimit(2);
            case "reload" -> limiter.reconfigure(Keyed.of(ONE.withCapacity(20), keys));
            case "algorithm" -> {
                limiter.reconfigure(Keyed.of(Gcra.of(10, Duration.ofSeconds(1)), keys));
                time.advance(60_000_000_000L);
                Arrays.stream(names).forEach(name -> admitted(limiter, name));
            }
            default -> {}
        }
        time.advance(60_000_000_000L);
        long after = used();
        System.out.println("keys " + limiter.snapshot().details().get("keys"));
        System.out.println("admitted " + admitted);
        System.out.println("bytesPerKey " + ((after - before - 1) / keys + 1));
        System.out.println("namesHeld " + names.length);
    }

    /** After every fourth collection no dead objects are left. */
    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
