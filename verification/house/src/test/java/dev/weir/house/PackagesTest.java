package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No package is in two jars: a project with a module-info would not compile with both. */
@Tag("house")
class PackagesTest {
    private static final Pattern TEST_JAR =
            Pattern.compile("<goal>test-jar</goal>.*?<includes>(.*?)</includes>", Pattern.DOTALL);
    private static final Pattern INCLUDED = Pattern.compile("<include>(.+)/[*][*]</include>");

    /* Of tests that run on another line of a server too; such a jar has the whole test tree. */
    private static final String RUN_AGAIN = "its tests run again";

    private final Set<Path> packages = new TreeSet<>();
    private int testJars;

    @Test
    void eachIsInOneJar() throws IOException {
        for (Path module : Sources.modules()) {
            Set<Path> own = new TreeSet<>();
            for (Path file : Sources.java(module, List.of("main"))) {
                if (!file.endsWith("module-info.java")) {
                    own.add(module.resolve("src/main/java").relativize(file).getParent());
                }
            }
            addAll(module, own);
            String pom = Sources.text(module.resolve("pom.xml"));
            Matcher testJar = TEST_JAR.matcher(pom);
            boolean isOfAContract = pom.contains("<goal>test-jar</goal>") && !pom.contains(RUN_AGAIN);
            assertEquals(isOfAContract, testJar.find(), module + ": the whole test tree is published");
            if (isOfAContract) {
                testJars++;
                INCLUDED.matcher(testJar.group(1))
                        .results()
                        .forEach(name -> addAll(module, Set.of(Path.of(name.group(1)))));
            }
        }
        assertEquals(10, testJars);
    }

    private void addAll(Path module, Set<Path> own) {
        own.forEach(name -> assertTrue(packages.add(name), () -> name + " of " + module + " is in another jar too"));
    }
}
