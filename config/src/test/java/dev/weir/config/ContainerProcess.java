package dev.weir.config;

import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.FileSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A process with registries of one document in a directory. It reads commands, one a line: {@code pid}; {@code open NAME...}, each with
 * a registry of its own, {@code -} for one without a name; {@code run}, which tells the version in force of each; {@code close}.
 */
final class ContainerProcess {
    private ContainerProcess() {}

    /** A file as a source, beside which instances write what they run. */
    static final class Directory implements ConfigSource {
        private final Path rows;
        private final FileSource file;

        Directory(Path directory) {
            rows = directory.resolve("rows");
            file = FileSource.of(directory.resolve("limits.yaml"), Duration.ofMillis(50));
        }

        @Override
        public String name() {
            return "directory";
        }

        @Override
        public Reading read() throws IOException {
            return file.read();
        }

        @Override
        public Duration readEvery() {
            return file.readEvery();
        }

        @Override
        public boolean acknowledges() {
            return true;
        }

        @Override
        public void acknowledge(InstanceStatus status) throws IOException {
            Path row = rows.resolve(status.instance());
            Path next = rows.resolveSibling("next-" + status.instance());
            Files.writeString(next, status.toJson());
            Files.move(next, row, StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public List<InstanceStatus> statuses() throws IOException {
            List<InstanceStatus> all = new ArrayList<>();
            try (Stream<Path> files = Files.list(rows)) {
                for (Path row : files.toList()) {
                    all.add(InstanceStatus.ofJson(Files.readString(row)));
                }
            }
            return all;
        }

        @Override
        public void close() {
            file.close();
        }
    }

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        Map<String, LimiterRegistry> open = new LinkedHashMap<>();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            List<String> words = List.of(line.split(" "));
            switch (words.get(0)) {
                case "pid" -> System.out.println(ProcessHandle.current().pid());
                case "open" -> {
                    words.subList(1, words.size()).forEach(name -> open.put(name, opened(directory, name)));
                    System.out.println("opened");
                }
                case "run" -> System.out.println(running(open));
                default -> {
                    open.values().forEach(LimiterRegistry::close);
                    open.clear();
                    System.out.println("closed");
                }
            }
        }
    }

    private static LimiterRegistry opened(Path directory, String name) {
        LimiterRegistry.Builder builder =
                LimiterRegistry.builder().source(new Directory(directory)).onEvent(event -> {});
        return name.equals("-") ? builder.build() : builder.instance(name).build();
    }

    /* By the number of permits, not by what the registry says. */
    private static String running(Map<String, LimiterRegistry> open) {
        List<String> all = new ArrayList<>();
        open.forEach((name, registry) -> all.add(name + "="
                + (registry.names().names().isEmpty() ? 0 : RegistryFixture.granted(registry.limiter("a")))));
        return String.join(" ", all);
    }
}
