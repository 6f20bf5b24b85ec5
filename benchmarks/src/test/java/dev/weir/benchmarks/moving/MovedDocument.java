package dev.weir.benchmarks.moving;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The document that a page about another library shows. */
final class MovedDocument {
    private static final Pattern YAML = Pattern.compile("(?s)```yaml\n(.*?)```");

    private MovedDocument() {}

    /** A registry with the first document of this page of {@code docs/start}, as it is there. */
    static LimiterRegistry of(String page, Path folder) throws IOException {
        Matcher document = YAML.matcher(Files.readString(Path.of("../docs/start/" + page + ".md")));
        if (!document.find()) {
            throw new IOException(page + " has no document");
        }
        Path file = Files.writeString(folder.resolve("limits.yaml"), document.group(1));
        return LimiterRegistry.builder()
                .source(FileSource.of(file))
                .failOnProblems()
                .build();
    }
}
