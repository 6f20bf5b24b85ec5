package dev.weir.verification.jcstress;

import java.util.Arrays;
import java.util.Collection;
import java.util.SortedSet;
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
 * or if a broken twin did not break.
 */
public final class Suite {
    private static final String[] SHORT = "-f 1 -fsm 1 -iters 3 -time 300 -sc false".split(" ");
    private static final String[] LONG = "-m default".split(" ");

    private Suite() {}

    /** How long, "short" or "long", then options of jcstress. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(Stream.concat(
                        Arrays.stream(args[0].equals("long") ? LONG : SHORT),
                        Arrays.stream(args).skip(1))
                .toArray(String[]::new));
        if (!options.parse()) {
            System.exit(1);
        }
        JCStress suite = new JCStress(options);
        SortedSet<String> expected = suite.getTests();
        suite.run();
        InProcessCollector read = new InProcessCollector();
        DiskReadCollector results = new DiskReadCollector(options.getResultFile(), read);
        results.dump();
        results.close();
        Collection<TestResult> ran = ReportUtils.mergedByName(read.getTestResults());
        long wrong = ran.stream().filter(Suite::isWrong).count();
        System.out.println(ran.size() + " of " + expected.size() + " races run, " + wrong + " wrong");
        System.exit(wrong == 0 && ran.size() == expected.size() && !expected.isEmpty() ? 0 : 1);
    }

    private static boolean isWrong(TestResult result) {
        TestGrading grading = TestGrading.grade(result);
        boolean twin = result.getName().endsWith("BrokenTwin");
        boolean wrong = !ReportUtils.statusToPassed(result) || !grading.isPassed || grading.hasInteresting != twin;
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
