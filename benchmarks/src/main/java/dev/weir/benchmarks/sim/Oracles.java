package dev.weir.benchmarks.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The goodputs of the {@link Oracle}, which may be kept in a file: one line of scenario, seed, checksum of the scenario and
 * goodput. Whoever changes the simulated server deletes the file.
 */
final class Oracles {
    private final @Nullable Path file;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    private Oracles(@Nullable Path file) {
        this.file = file;
    }

    /** Those in this file, if it exists; none of null. */
    static Oracles in(@Nullable Path file) throws IOException {
        Oracles oracles = new Oracles(file);
        if (file != null && Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int last = line.lastIndexOf(' ');
                oracles.known.put(line.substring(0, last), Integer.parseInt(line.substring(last + 1)));
            }
        }
        return oracles;
    }

    /** The goodput of the oracle for these arrivals, which are drawn by the seed. */
    int goodput(Scenario scenario, Arrivals arrivals, long seed) {
        if (file == null) {
            return Oracle.goodput(scenario, arrivals);
        }
        CRC32 checksum = new CRC32();
        checksum.update(scenario.toString().getBytes(UTF_8));
        String key = scenario.name() + " " + seed + " " + Long.toHexString(checksum.getValue());
        return known.computeIfAbsent(key, unknown -> Oracle.goodput(scenario, arrivals));
    }

    /** Writes the file, if there is one. */
    void write() throws IOException {
        if (file != null) {
            StringBuilder lines = new StringBuilder();
            new TreeMap<>(known)
                    .forEach((key, goodput) ->
                            lines.append(key).append(' ').append(goodput).append('\n'));
            Files.writeString(file, lines);
        }
    }
}
