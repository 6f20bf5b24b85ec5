package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What newcomers are told to copy exists under that name. */
@Tag("house")
class ContributingTest {
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w*)(?:[.]\\w+[^`]*)?`");

    @Test
    void typesThatAreNamedExist() {
        Set<String> types = Stream.of("..", "../integrations")
                .flatMap(root -> Stream.of(Objects.requireNonNull(new File(root).list()))
                        .map(module -> Path.of(root, module, "src")))
                .filter(Files::isDirectory)
                .flatMap(sources -> Products.files(sources, ".java").stream())
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
        Set<String> named = new TreeSet<>();
        for (String page : new String[] {"../CONTRIBUTING.md", "../docs/versioning.md"}) {
            for (Matcher type = TYPE.matcher(Products.read(Path.of(page))); type.find(); ) {
                named.add(type.group(1));
            }
        }
        assertTrue(named.size() > 20, named::toString);
        named.removeAll(types);
        assertEquals(Set.of(), named);
    }
}
