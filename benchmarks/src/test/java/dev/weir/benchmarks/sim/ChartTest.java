package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartTest {
    /* The colour of the first algorithm. */
    private static final String FIRST = "rgb(0,114,178)";

    private static Series series(String name, DoubleUnaryOperator value) {
        long[] at = new long[201];
        double[] values = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = i * 500_000_000L;
            values[i] = value.applyAsDouble(i / 2.0);
        }
        return new Series(name, at, values);
    }

    private static Chart sample() {
        SplittableRandom noise = new SplittableRandom(1);
        List<Series> limits = new ArrayList<>();
        List<Series> goodputs = new ArrayList<>();
        List<Series> latencies = new ArrayList<>();
        for (String name : List.of("Weir", "Envoy", "VegasWin", "NoLimit")) {
            double size = 20 + 10 * limits.size();
            limits.add(series(
                    name + ": limit",
                    at -> name.equals("NoLimit") && at > 20 ? Double.POSITIVE_INFINITY : size + 10 * Math.sin(at / 9)));
            limits.add(series(name + ": in flight", at -> size + 5 * Math.sin(at / 9) + 3 * noise.nextDouble()));
            goodputs.add(series(name, at -> (at > 30 && at < 70 ? 700 : 1300) - 3 * size * noise.nextDouble()));
            latencies.add(series(name, at -> 0.02 + 0.004 * size * noise.nextDouble()));
        }
        return new Chart(
                "cap_halves <&> seed 1",
                List.of(
                        new Chart.Panel("limit and in flight (requests)", List.of(), limits),
                        new Chart.Panel(
                                "goodput (requests/s)",
                                List.of(
                                        series("offered", at -> 1360),
                                        series("oracle", at -> at > 30 && at < 70 ? 800 : 1350)),
                                goodputs),
                        new Chart.Panel("p99 of what was admitted (s)", List.of(), latencies)));
    }

    private static Document parsed(String svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    /* The paths of a colour, in the order in which they were drawn; each is text of the form "M1,2 L3,4". */
    private static List<String> paths(Document svg, String colour) {
        NodeList all = svg.getElementsByTagName("path");
        return IntStream.range(0, all.getLength())
                .mapToObj(i -> (Element) all.item(i))
                .filter(path -> path.getAttribute("style").contains("stroke:" + colour))
                .map(path -> path.getAttribute("d"))
                .toList();
    }

    @Test
    void svgIsWellFormedAndNamesEachLineOnce() throws Exception {
        Document svg = parsed(sample().svg());
        NodeList texts = svg.getElementsByTagName("text");
        List<String> found = IntStream.range(0, texts.getLength())
                .mapToObj(i -> texts.item(i).getTextContent())
                .toList();
        for (String text : List.of("cap_halves <&> seed 1", "offered", "oracle", "Weir", "Weir: limit", "time (s)")) {
            assertEquals(1, found.stream().filter(text::equals).count(), text);
        }
    }

    @Test
    void whatIsNotFiniteLeavesAGap() throws Exception {
        Series gap = new Series(
                "a",
                new long[] {0, 1_000_000_000L, 1_500_000_000L, 2_000_000_000L, 3_000_000_000L},
                new double[] {1, 2, Double.POSITIVE_INFINITY, 0, 2});
        String line = line(new Chart.Panel("p", List.of(), List.of(gap)));
        assertEquals(2, line.chars().filter(each -> each == 'M').count(), line);
        assertEquals(2, line.chars().filter(each -> each == 'L').count(), line);
    }

    @Test
    void whatIsTooHighIsDrawnAtTheTop() throws Exception {
        long[] at = {0, 1_000_000_000L};
        Series high = new Series("a", at, new double[] {5, 1000});
        Series top = new Series("a", at, new double[] {5, 10});
        assertEquals(
                line(new Chart.Panel("p", List.of(), List.of(top), 10)),
                line(new Chart.Panel("p", List.of(), List.of(high), 10)));
        assertNotEquals(
                line(new Chart.Panel("p", List.of(), List.of(top), 10)),
                line(new Chart.Panel("p", List.of(), List.of(high), 20)));
    }

    /* The line of the first algorithm; the path before it is in the legend. */
    private static String line(Chart.Panel panel) throws Exception {
        List<String> paths = paths(parsed(new Chart("t", List.of(panel)).svg()), FIRST);
        assertEquals(2, paths.size());
        return paths.get(1);
    }

    @Test
    void writesBothPictures(@TempDir Path directory) throws Exception {
        sample().write(directory, "sample");
        assertTrue(Files.size(directory.resolve("sample.svg")) > 0);
        BufferedImage image = ImageIO.read(directory.resolve("sample.png").toFile());
        assertNotNull(image);
        assertEquals(2000, image.getWidth());
    }

    @Test
    void anEmptyChartHasAxes() throws Exception {
        Series none = new Series("a", new long[0], new double[0]);
        Document svg = parsed(new Chart("t", List.of(new Chart.Panel("p", List.of(), List.of(none)))).svg());
        assertEquals(1, paths(svg, FIRST).size(), "in the legend alone");
        assertTrue(svg.getElementsByTagName("line").getLength() > 2);
        assertThrows(IllegalArgumentException.class, () -> new Chart("t", List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Chart.Panel("p", List.of(), List.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new Series("a", new long[1], new double[0]));
    }
}
