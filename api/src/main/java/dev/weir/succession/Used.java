package dev.weir.succession;

import java.util.List;
import java.util.stream.Stream;

/**
 * The most that any of some rates has granted and that has not refilled, in each of two units.
 *
 * @param permits of rates of permits; of those by cost if there are no others
 * @param cost of rates by cost; of the others if there are none
 */
public record Used(long permits, long cost) {
    public static final Used NONE = new Used(0, 0);

    /** The most that these strategies have used, of which some may be no rates. */
    public static Used of(Stream<PartStrategy> strategies) {
        List<PartStrategy> rates = strategies.filter(RunningPart::isRate).toList();
        return new Used(of(rates, false), of(rates, true));
    }

    private static long of(List<PartStrategy> rates, boolean byCost) {
        List<PartStrategy> alike =
                rates.stream().filter(rate -> rate instanceof ByCost == byCost).toList();
        return (alike.isEmpty() ? rates : alike)
                .stream().mapToLong(PartStrategy::used).max().orElse(0);
    }

    /** In the unit of this rate. */
    public long as(PartStrategy rate) {
        return rate instanceof ByCost ? cost : permits;
    }

    public boolean isNone() {
        return equals(NONE);
    }
}
