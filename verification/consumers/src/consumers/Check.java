package consumers;

import dev.weir.Decision;
import dev.weir.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Checks of all consumers: it needs the API alone. */
final class Check {
    private Check() {}

    /** How many permits it grants at once. */
    static int granted(Supplier<Decision> acquire) {
        List<Permit> permits = new ArrayList<>();
        Decision decision = acquire.get();
        while (decision instanceof Permit permit) {
            permits.add(permit);
            decision = acquire.get();
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
