package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The methods that the second compiler inlines on the way of a request for a plain counter, in a process with several kinds of limits. */
class InliningTest {
    /** The compilation of a method: its level and its name. Other lines that begin so tell that code is not used any more. */
    private static final Pattern COMPILATION =
            Pattern.compile(" *\\d+ +\\d+ [ %sbn!]*([1-4]) +(\\S+)(?: @ \\d+)? \\(\\d+ bytes\\)");

    /** A call in the method compiled last, and what became of it. */
    private static final Pattern CALL = Pattern.compile("[ !smn]*@ \\d+ +\\S*?(\\w+::\\S+) \\(\\d+ bytes\\) +(.*)");

    /** The Java of this test, and a newer one where the machine has it. */
    static Stream<Path> javas() throws IOException {
        Set<Path> homes = new TreeSet<>(Set.of(Path.of(System.getProperty("java.home"))));
        Path installed = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(installed)) {
            try (DirectoryStream<Path> newer = Files.newDirectoryStream(installed, "*-25-*")) {
                newer.forEach(homes::add);
            }
        }
        return homes.stream().map(home -> home.resolve("bin/java"));
    }

    @ParameterizedTest
    @MethodSource("javas")
    void theWayToThePlainCounterIsInlinedBesideOtherKinds(Path java) throws Exception {
        Map<String, List<Call>> compiled = compiled(java);
        assertInlined(compiled, "refuse", "Engine::tryAcquire", "InFlight::acquire", "ActiveStrategy::rejection");
        assertInlined(compiled, "take", "Engine::tryAcquire", "InFlight::acquire", "HeldPermit::of");
        assertInlined(compiled, "take", "HeldPermit::release", "ReleasePath::release", "InFlight::release");
        assertInlined(compiled, "attempt", "Engine::attempt", "InFlight::acquire", "HeldPermit::of");
        assertInlined(compiled, "work", "Engine::run", "InFlight::acquire", "InFlight::release");
    }

    private record Call(String method, String result) {}

    private static void assertInlined(Map<String, List<Call>> compiled, String caller, String... methods) {
        List<Call> calls = compiled.get("dev.weir.benchmarks.MixedProcess::" + caller);
        for (String method : methods) {
            assertTrue(
                    calls.stream()
                            .anyMatch(call -> call.method().equals(method)
                                    && call.result().startsWith("inline")),
                    () -> method + " is not inlined into " + caller + ": "
                            + calls.stream()
                                    .filter(call -> !call.result().startsWith("inline"))
                                    .map(Call::toString)
                                    .collect(Collectors.joining("\n  ", "\n  ", "")));
        }
    }

    /* The calls in the last code of each method. The process waits for each compilation, so that the output of two is not mixed. */
    private static Map<String, List<Call>> compiled(Path java) throws IOException, InterruptedException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-Xbatch",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+PrintCompilation",
                        "-XX:+PrintInlining",
                        "-cp",
                        Stream.of(classPath.split(File.pathSeparator)).collect(Collectors.joining(File.pathSeparator)),
                        MixedProcess.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines;
        try (Stream<String> output = process.inputReader().lines()) {
            lines = output.toList();
        }
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
        Map<String, List<Call>> compiled = new HashMap<>();
        List<Call> last = new ArrayList<>();
        for (String line : lines) {
            Matcher compilation = COMPILATION.matcher(line);
            Matcher call = CALL.matcher(line);
            if (compilation.matches()) {
                last = new ArrayList<>();
                if (compilation.group(1).equals("4")) {
                    compiled.put(compilation.group(2), last);
                }
            } else if (call.matches()) {
                last.add(new Call(call.group(1), call.group(2)));
            }
        }
        return compiled;
    }
}
