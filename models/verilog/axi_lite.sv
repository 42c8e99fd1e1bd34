// Four registers behind an AXI-Lite port (write address and data are taken together). The properties are rules of the
// protocol, and one about the data. `read_is_stable` found a defect in an earlier version, in which the read data
// followed the register instead of holding its value.
module axi_lite (
    input  logic        clk,
    input  logic        reset,
    input  logic        awvalid, wvalid, bready, arvalid, rready,
    input  logic [3:0]  awaddr, araddr,
    input  logic [7:0]  wdata,
    output logic        awready, wready, bvalid, arready, rvalid,
    output logic [7:0]  rdata
);
    logic [7:0] registers [0:3];

    wire takes_write = awvalid && wvalid && (!bvalid || bready);
    assign awready = takes_write;
    assign wready = takes_write;
    wire takes_read = arvalid && (!rvalid || rready);
    assign arready = takes_read;

    always_ff @(posedge clk)
        if (reset) begin
            bvalid <= 0;
            rvalid <= 0;
        end else begin
            if (takes_write) begin
                registers[awaddr[3:2]] <= wdata;
                bvalid <= 1;
            end else if (bready)
                bvalid <= 0;
            if (takes_read) begin
                rdata <= registers[araddr[3:2]];
                rvalid <= 1;
            end else if (rready)
                rvalid <= 0;
        end

`ifdef FORMAL
    logic is_ready = 0;
    always_ff @(posedge clk) is_ready <= 1;
    always_comb if (!is_ready) assume (reset);

    // The register that is watched, and what it holds.
    (* anyconst *) logic [1:0] watched;
    logic [7:0] value;
    logic is_known = 0;
    always_ff @(posedge clk)
        if (!reset && takes_write && awaddr[3:2] == watched) begin
            value <= wdata;
            is_known <= 1;
        end

    always_ff @(posedge clk) if (is_ready && !reset && !$past(reset)) begin
        if ($past(bvalid && !bready))
            response_waits: assert (bvalid);
        if ($past(rvalid && !rready)) begin
            read_waits: assert (rvalid);
            read_is_stable: assert (rdata == $past(rdata));
        end
        if ($past(takes_read && araddr[3:2] == watched && is_known))
            read_tells_what_was_written: assert (rdata == $past(value));
        both_at_once: cover (takes_read && takes_write && awaddr == araddr);
    end
    always_comb if (is_known)
        register_is_kept: assert (registers[watched] == value);
`endif
endmodule
