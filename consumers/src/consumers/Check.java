package consumers;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Permit;
import java.util.ArrayList;
import java.util.List;

/** Checks of all consumers: it needs the API alone. */
final class Check {
    private Check() {}

    /** How many permits it grants at once. */
    static int granted(Limiter limiter) {
        List<Permit> permits = new ArrayList<>();
        Decision decision = limiter.tryAcquire();
        while (decision instanceof Permit permit) {
            permits.add(permit);
            decision = limiter.tryAcquire();
        }
        permits.forEach(Permit::close);
        return permits.size();
    }

    static void expect(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new IllegalStateException("expected " + expected + ", was " + actual);
        }
    }
}
