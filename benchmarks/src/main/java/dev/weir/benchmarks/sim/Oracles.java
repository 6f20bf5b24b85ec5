package dev.weir.benchmarks.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The goodputs of the {@link Oracle}, which may be kept in a file: in each line a scenario, the seed, a checksum of the
 * scenario and the goodput. The checksum does not cover the simulated server: after a change of it, the file must be deleted.
 */
final class Oracles {
    private static final Pattern LINE = Pattern.compile("(\\S+ -?\\d+ [0-9a-f]+) (\\d{1,9})");

    private final @Nullable Path file;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    private Oracles(@Nullable Path file) {
        this.file = file;
    }

    /**
     * Those in this file, which is made if there is none; null for no file.
     *
     * @throws IllegalArgumentException if the file cannot be read and written, or saying which of its lines is wrong
     */
    static Oracles in(@Nullable Path file) {
        Oracles oracles = new Oracles(file);
        if (file != null) {
            try {
                if (Files.exists(file)) {
                    oracles.read(Files.readAllLines(file));
                }
                oracles.write();
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "--oracles must be a file of text that can be read and written, was " + file + ": " + e, e);
            }
        }
        return oracles;
    }

    private void read(List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (!line.matches()) {
                throw new IllegalArgumentException("--oracles " + file + ", line " + (i + 1)
                        + ": must be scenario, seed, checksum and goodput, was " + lines.get(i));
            }
            known.put(line.group(1), Integer.parseInt(line.group(2)));
        }
    }

    /** The goodput of the oracle for these arrivals, which are drawn by the seed. */
    int goodput(Scenario scenario, Arrivals arrivals, long seed) {
        String key = key(scenario, seed);
        Integer kept = known.get(key);
        if (kept != null) {
            return kept;
        }
        int goodput = Oracle.goodput(scenario, arrivals);
        known.put(key, goodput);
        return goodput;
    }

    private static String key(Scenario scenario, long seed) {
        CRC32 checksum = new CRC32();
        checksum.update(scenario.toString().getBytes(UTF_8));
        return scenario.name().replaceAll("\\s", "_") + " " + seed + " " + Long.toHexString(checksum.getValue());
    }

    /** Writes the file, if there is one; it is replaced as a whole, so that other runs may use it too. */
    void write() throws IOException {
        if (file == null) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        new TreeMap<>(known)
                .forEach((key, goodput) ->
                        lines.append(key).append(' ').append(goodput).append('\n'));
        Path whole = file.toAbsolutePath();
        Path directory = Files.createDirectories(whole.resolveSibling(""));
        Path written = Files.writeString(Files.createTempFile(directory, "oracles", ".new"), lines);
        Files.move(written, whole, StandardCopyOption.REPLACE_EXISTING);
    }
}
