package dev.weir.verification.jcstress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;
import org.openjdk.jcstress.infra.grading.TestGrading;

/**
 * Runs every race here with the options of jcstress and ends with 1 if one showed a forbidden outcome, or failed to run,
 * or if a broken twin did not break. A smoke run is too short to break each twin, so it does not ask for that.
 */
public final class Suite {
    private static final Map<String, String> LENGTHS = Map.of(
            "smoke", "-m sanity -sc false", "short", "-f 1 -fsm 1 -iters 3 -time 300 -sc false", "long", "-m default");

    /** How often a twin that did not break is raced again. */
    private static final int ATTEMPTS = 10;

    private final boolean smoke;

    private Suite(boolean smoke) {
        this.smoke = smoke;
    }

    /** {@code smoke}, {@code short} or {@code long}, then options of jcstress. */
    public static void main(String[] args) throws Exception {
        String length = LENGTHS.get(args[0]);
        if (length == null) {
            throw new IllegalArgumentException("length must be one of " + LENGTHS.keySet() + ", was " + args[0]);
        }
        Stream<String> more = Arrays.stream(args).skip(1);
        boolean right = new Suite(args[0].equals("smoke"))
                .run(Stream.concat(Arrays.stream(length.split(" ")), more).toArray(String[]::new));
        System.exit(right ? 0 : 1);
    }

    private boolean run(String[] args) throws Exception {
        Options options = new Options(args);
        if (!options.parse()) {
            return false;
        }
        SortedSet<String> expected = new JCStress(options).getTests();
        Map<String, TestResult> ran = raced(options);
        for (int more = 0; more < ATTEMPTS && !smoke; more++) {
            String whole = ran.values().stream()
                    .filter(result -> isTwin(result) && !TestGrading.grade(result).hasInteresting)
                    .map(result -> Pattern.quote(result.getName()))
                    .collect(Collectors.joining("|"));
            if (!whole.isEmpty()) {
                // A machine that is busy elsewhere runs too few rounds to break each twin.
                ran.putAll(raced(again(args, whole)));
            }
        }
        long wrong = ran.values().stream().filter(this::isWrong).count();
        System.out.println(ran.size() + " of " + expected.size() + " races run, " + wrong + " wrong");
        return wrong == 0 && ran.size() == expected.size() && !expected.isEmpty();
    }

    private static Options again(String[] args, String names) throws Exception {
        List<String> all = new ArrayList<>(List.of("-t", names));
        all.addAll(List.of(args));
        Options options = new Options(all.toArray(String[]::new));
        if (!options.parse()) {
            throw new IllegalArgumentException("options must be right, were " + all);
        }
        return options;
    }

    private static Map<String, TestResult> raced(Options options) throws Exception {
        new JCStress(options).run();
        InProcessCollector read = new InProcessCollector();
        DiskReadCollector results = new DiskReadCollector(options.getResultFile(), read);
        results.dump();
        results.close();
        Map<String, TestResult> ran = new TreeMap<>();
        ReportUtils.mergedByName(read.getTestResults()).forEach(result -> ran.put(result.getName(), result));
        return ran;
    }

    private static boolean isTwin(TestResult result) {
        return result.getName().endsWith("BrokenTwin");
    }

    private boolean isWrong(TestResult result) {
        TestGrading grading = TestGrading.grade(result);
        boolean twin = isTwin(result);
        boolean unexpected = smoke ? grading.hasInteresting && !twin : grading.hasInteresting != twin;
        boolean wrong = !ReportUtils.statusToPassed(result) || !grading.isPassed || unexpected;
        System.out.println((wrong ? "WRONG " : "right ") + result.getName() + ": "
                + result.getCounter().totalCount() + " rounds, " + seen(result));
        return wrong;
    }

    private static String seen(TestResult result) {
        StringBuilder seen = new StringBuilder();
        for (String outcome : result.getStateKeys()) {
            seen.append('(')
                    .append(outcome)
                    .append(") ")
                    .append(result.getCount(outcome))
                    .append("  ");
        }
        return seen + String.join(" ", TestGrading.grade(result).failureMessages);
    }
}
