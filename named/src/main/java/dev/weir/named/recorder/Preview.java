package dev.weir.named.recorder;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * The result that other settings would have had for the requests of the last minutes. Immutable.
 *
 * <p>It is a replay: the recorded requests come again, in virtual time, before the strategy and the queue that the other settings
 * describe. What it cannot know: whether callers would have come back after a rejection, or stayed away; and whether the work would
 * have taken longer or shorter, because more or less of it runs at once. {@link #unsure} says what else is not known.
 *
 * @param name of the limit
 * @param change the settings that are tried, such as {@code "concurrency: 40"}
 * @param settingsNow all settings in force, in one line
 * @param settingsThen all settings with the change, in one line
 * @param from when the recording begins
 * @param span how long it is
 * @param requests how many requests are replayed
 * @param refusedInFact how many of them were refused
 * @param refusedAsItIs how many of them a replay of the settings in force refuses: the closer to {@code refusedInFact}, the better
 *     the replay
 * @param wouldRefuse how many of them the other settings refuse; with {@code enforce: 0}, how many they would refuse without it
 * @param low the fewest that they refuse, by what is not recorded exactly
 * @param high the most that they refuse, by what is not recorded exactly
 * @param waitP50 how long half of the granted requests wait at most; zero without a queue
 * @param waitP99 how long 99 of 100 granted requests wait at most; zero without a queue
 * @param mostInFlight the most permits that are held at once; 0 for a rate
 * @param limitThen the limit at the end, in the unit of its strategy
 * @param unsure why the result may be wrong by more than 2 % of the requests; empty = it is not, as far as is known
 */
public record Preview(
        String name,
        String change,
        String settingsNow,
        String settingsThen,
        Instant from,
        Duration span,
        long requests,
        long refusedInFact,
        long refusedAsItIs,
        long wouldRefuse,
        long low,
        long high,
        Duration waitP50,
        Duration waitP99,
        long mostInFlight,
        long limitThen,
        List<String> unsure) {
    private static final double PERCENT = 100;

    /** Copies the list. */
    public Preview {
        unsure = List.copyOf(unsure);
    }

    /** The share of the requests, 0 to 1, that the other settings refuse; 0 if there are no requests. */
    public double share() {
        return requests == 0 ? 0 : wouldRefuse / (double) requests;
    }

    /**
     * One line: {@code "at concurrency: 40 you would have refused 312 of 18,204 (1.7 %), p99 wait 35 ms"}, and what it is unsure
     * of.
     */
    @Override
    public String toString() {
        String wait = waitP99.isZero()
                ? ""
                : String.format(Locale.ROOT, ", p99 wait %,d ms", Math.round(waitP99.toNanos() / 1e6));
        String doubts = unsure.isEmpty() ? "" : ", unsure: " + String.join("; ", unsure);
        return String.format(
                        Locale.ROOT,
                        "at %s you would have refused %,d of %,d (%.1f %%)",
                        change,
                        wouldRefuse,
                        requests,
                        PERCENT * share())
                + wait
                + doubts;
    }
}
