package runner;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A project that runs in a JVM of its own, with the address of Redis as argument. */
final class ProcessConsumer implements Consumer {
    private static final int SECONDS = 300;

    private final String name;
    private final Path project;
    private final String pathOption;
    private final String main;
    private List<String> before = List.of();
    private Pattern said = Pattern.compile("");
    private String failure = "";

    /** @param pathOption {@code -cp} or {@code -p} */
    ProcessConsumer(String name, Path project, String pathOption, String main) {
        this.name = name;
        this.project = project;
        this.pathOption = pathOption;
        this.main = main;
    }

    /** Runs it as the argument of this command; it passes if it says one of these. */
    ProcessConsumer under(List<String> command, String either) {
        before = command;
        said = Pattern.compile(either);
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void run() {
        try {
            Path output = project.resolve("target/output-" + name);
            String path = project.resolve("target/classes")
                    + File.pathSeparator
                    + Files.readString(project.resolve("target/classpath")).strip();
            List<String> command = new ArrayList<>(before);
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    pathOption,
                    path,
                    pathOption.equals("-p") ? "-m" : "-Dweir",
                    main,
                    System.getProperty("redis", "none")));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                failure = "does not end in " + SECONDS + " s\n";
            } else if (process.exitValue() != 0
                    || !said.matcher(Files.readString(output)).find()) {
                failure = process.exitValue() + ": " + Files.readString(output);
            }
        } catch (IOException e) {
            failure = e + "\n";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String failure() {
        return failure;
    }
}
