package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.OverrideHistory.Flaw;
import dev.weir.testkit.Stress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Overrides that are given, undone, replaced, that end, that are given for settings of before, whose document changes so that they fit
 * no more, and that are lost with their process: without one, the document's value is in force.
 */
@Tag("proof")
@Tag("property")
class OverrideHistoriesTest {
    private static final int HISTORIES = 1_000;

    /** In one of so many histories the last good document is kept in a file, which takes long. */
    private static final int KEEPING = 10;

    /** Of what happens in them. */
    private static final int KINDS = 11;

    @TempDir
    Path directory;

    private final Map<String, Integer> met = new TreeMap<>();
    private int files;

    private void run(SplittableRandom random, Flaw flaw) {
        Path lastGood = random.nextInt(KEEPING) == 0 ? directory.resolve("last-good-" + files++) : null;
        new OverrideHistory(random, flaw, met, lastGood).run();
        if (lastGood != null) {
            try {
                Files.deleteIfExists(lastGood);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void afterEachHistoryTheDocumentsValueIsInForce() {
        Stress.seconds(1, 20, 100).forAll(HISTORIES, random -> run(random, Flaw.NONE));
        System.out.println(met);
        // Not if one seed is replayed.
        boolean isWhole = met.getOrDefault("history", 0) >= HISTORIES;
        assertTrue(!isWhole || (met.size() == KINDS && met.values().stream().allMatch(count -> count >= 20)));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aTwinWithAFlawIsFound(Flaw flaw) {
        int seed = 0;
        while (isRight(seed, flaw)) {
            seed++;
            assertTrue(seed < HISTORIES, "no history finds it");
        }
        assertTrue(isRight(seed, Flaw.NONE), "history " + seed + " fails without the flaw, too");
    }

    private boolean isRight(int seed, Flaw flaw) {
        try {
            run(new SplittableRandom(seed), flaw);
            return true;
        } catch (AssertionError wrong) {
            return false;
        }
    }
}
